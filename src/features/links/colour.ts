export type Colour = readonly [red: number, green: number, blue: number];

export const BLACK: Colour = [0, 0, 0];

/** Null for anything but #rrggbb; the # may be left out. */
export function readColour(text: string): Colour | null {
  const hex = /^#?([0-9a-f]{6})$/i.exec(text)?.[1];
  if (hex === undefined) return null;
  const value = Number.parseInt(hex, 16);
  return [value >> 16, (value >> 8) & 0xff, value & 0xff];
}

export const toHex = (colour: Colour): string =>
  `#${colour.map((one) => one.toString(16).padStart(2, "0")).join("")}`;

/** Scanners tell less contrast from white badly. */
export const MIN_CONTRAST = 3;

/** @see https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
export function contrastToWhite(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.map((one) => {
    const part = one / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}
