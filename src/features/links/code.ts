import { encode } from "uqr";
import { type Colour, toHex } from "./colour.ts";
import { twoColourPng } from "./png.ts";

/** Modules of white around a code. Source: ISO/IEC 18004, "Quiet zone". */
const QUIET_ZONE = 4;

const matrixOf = (address: string): boolean[][] =>
  encode(address, { ecc: "M", border: QUIET_ZONE }).data;

export function codeSvg(address: string, colour: Colour, size?: number): string {
  const matrix = matrixOf(address);
  const path = matrix
    .flatMap((row, y) =>
      row.flatMap((isInk, x) => {
        if (!isInk || row[x - 1]) return [];
        const end = row.indexOf(false, x);
        return [`M${x} ${y}h${end - x}v1h-${end - x}z`];
      }),
    )
    .join("");
  const side = matrix.length;
  const square = size === undefined ? "" : ` width="${size}" height="${size}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}"${square} shape-rendering="crispEdges"><path fill="#ffffff" d="M0 0h${side}v${side}H0z"/><path fill="${toHex(colour)}" d="${path}"/></svg>`;
}

/** What whole modules leave over of the size is white. */
export function codePng(address: string, colour: Colour, size: number): Promise<Blob> {
  const matrix = matrixOf(address);
  const scale = Math.max(1, Math.floor(size / matrix.length));
  const margin = Math.floor((size - scale * matrix.length) / 2);
  const moduleAt = (pixel: number): number => Math.floor((pixel - margin) / scale);
  return twoColourPng(size, colour, (x, y) => matrix[moduleAt(y)]?.[moduleAt(x)] ?? false);
}
