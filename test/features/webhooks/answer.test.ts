import { expect, test } from "vitest";
import { beginningOf } from "../../../src/features/webhooks/answer.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

const stream = (...chunks: Uint8Array[]) =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
    },
  });

test.each<[what: string, body: BodyInit | null, shown: string | null]>([
  ["a text", "No such order.", "No such order."],
  ["nothing", null, null],
  ["spaces", " \n ", null],
  ["control characters", "a\0b\x1b[31mc\nd", "ab[31mc\nd"],
  ["more than is kept", "🦊".repeat(600), "🦊".repeat(500)],
  ["bytes that are no text", new Uint8Array([0xff, 0x41]), "\uFFFDA"],
  ["an answer that never ends", stream(bytes("Wait ")), "Wait"],
])("shows of %s", async (_, body, shown) => {
  expect(await beginningOf(new Response(body, { status: 500 }))).toBe(shown);
});

test("shows nothing of an answer that breaks off", async () => {
  const body = new ReadableStream({ pull: (controller) => controller.error(new Error("lost")) });
  expect(await beginningOf(new Response(body, { status: 500 }))).toBeNull();
});
