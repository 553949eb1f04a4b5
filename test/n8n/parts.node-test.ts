import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { completionXml, cutInParts } from "../../src/n8n/nodes/Akimbo/shared/parts.ts";

async function cut(chunks: string[], sizes: number[]): Promise<string[]> {
  const parts: string[] = [];
  const stream = Readable.from(chunks.map((text) => Buffer.from(text)));
  for await (const part of cutInParts(stream, sizes)) parts.push(part.toString());
  return parts;
}

test("parts have their sizes, however the stream is cut", async () => {
  const expected = ["abcd", "efgh", "ij"];
  for (const chunks of [["abcdefghij"], [..."abcdefghij"], ["abc", "", "defghi", "j"]]) {
    assert.deepEqual(await cut(chunks, [4, 4, 2]), expected);
  }
});

test("a stream of another length is refused", async () => {
  await assert.rejects(cut(["abc"], [4]), /fewer bytes/);
  await assert.rejects(cut(["abcdef"], [4]), /more bytes/);
  await assert.rejects(cut([], [1]), /fewer bytes/);
});

test("the list of parts is XML", () => {
  assert.equal(
    completionXml([{ partNumber: 1, etag: "a&b" }]),
    "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>a&amp;b</ETag></Part></CompleteMultipartUpload>",
  );
});
