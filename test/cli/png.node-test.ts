import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32, inflateSync } from "node:zlib";
import { createGradientPng } from "../../src/cli/png.ts";

const WIDTH = 120;
const HEIGHT = 90;

interface Chunk {
  type: string;
  data: Buffer;
}

function readChunks(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const body = png.subarray(at + 4, at + 8 + length);
    assert.equal(png.readUInt32BE(at + 8 + length), crc32(body), "the checksum of a chunk");
    chunks.push({ type: body.toString("latin1", 0, 4), data: body.subarray(4) });
    at += 12 + length;
  }
  return chunks;
}

const draw = (red: number) =>
  createGradientPng({ width: WIDTH, height: HEIGHT, from: [red, 0, 0], to: [255, 128, 0] });

test("writes a PNG of the wanted size with sound chunks", () => {
  const png = draw(0);
  assert.equal(png.subarray(0, 8).toString("hex"), "89504e470d0a1a0a");
  const chunks = readChunks(png);
  assert.deepEqual(
    chunks.map(({ type }) => type),
    ["IHDR", "IDAT", "IEND"],
  );
  const [header, pixels] = chunks;
  assert.equal(header?.data.readUInt32BE(0), WIDTH);
  assert.equal(header?.data.readUInt32BE(4), HEIGHT);
  assert.equal(inflateSync(pixels?.data ?? "").length, HEIGHT * (1 + WIDTH * 3));
});

test("begins with the first colour", () => {
  const [, pixels] = readChunks(draw(40));
  assert.deepEqual([...inflateSync(pixels?.data ?? "").subarray(1, 4)], [40, 0, 0]);
});

test("other colours make another file", () => {
  assert.notDeepEqual(draw(0), draw(1));
});
