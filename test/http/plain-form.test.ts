import { expect, test } from "vitest";
import { readForm } from "../../src/http/multipart.ts";
import { readPlainForm } from "../../src/http/plain-form.ts";

const TYPE = "multipart/form-data; boundary=b-1";
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const field = (name: string, text: string) =>
  `--b-1\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
const END = "--b-1--\r\n";

/** Reads as the parser of streams does, which is given every body whose length is not declared. */
async function parse(body: string | Uint8Array) {
  const request = new Request("https://a.test", { method: "POST", body });
  request.headers.set("content-type", TYPE);
  request.headers.delete("content-length");
  const fields = await readForm(request, {
    onLarge: async () => {},
    onFile: async () => {},
  });
  return Object.fromEntries(fields);
}

const FORMS: [string, string][] = [
  ["a field", field("title", "Hello") + END],
  ["no end of line behind the end", `${field("title", "Hello")}--b-1--`],
  ["an empty field", field("title", "") + END],
  ["several fields", field("a", "1") + field("b", "2") + field("a", "3") + END],
  ["a field as a list", field("a[]", "1") + field("a[]", "2") + END],
  ["text of any script, and no mark taken away", field("a", "\uFEFFπ 🎉\r\n\r\nä") + END],
  ["lines that look like the boundary", field("a", "x--b-1\n--b-1--\r\n--b-0\r\n --b-1") + END],
  ["a name in lower case", field("a", "1").replace("Content-D", "content-d") + END],
];

test.each(FORMS)("%s is read as the parser of streams reads it", async (_, body) => {
  const fields = new Map<string, string[]>();
  for (const [name, text] of readPlainForm(TYPE, bytesOf(body)) ?? []) {
    const known = fields.get(name.replace("[]", "")) ?? [];
    fields.set(name.replace("[]", ""), [...known, text.replaceAll("\r\n", "\n")]);
  }
  expect(fields.size).toBeGreaterThan(0);
  expect(Object.fromEntries(fields)).toEqual(await parse(body));
});

const OTHERS: [string, string | Uint8Array][] = [
  ["a file", field("photo", "x").replace('"photo"', '"photo"; filename="a.png"') + END],
  [
    "a part with a type",
    field("a", "1").replace("\r\n\r\n", "\r\nContent-Type: a/b\r\n\r\n") + END,
  ],
  ["a name with a quote", field('a\\"b', "1") + END],
  ["a name that is too long", field("a".repeat(101), "1") + END],
  ["a part without a name", `--b-1\r\n\r\nx\r\n${END}`],
  ["a boundary with more behind it", field("a", "1\r\n--b-1x\r\n2") + END],
  ["text before the first part", `hello\r\n${field("a", "1")}${END}`],
  ["text after the last part", `${field("a", "1")}${END}more`],
  ["no end", field("a", "1")],
  ["no part", END],
  ["nothing", ""],
  ["bytes that are no UTF-8", new Uint8Array([...bytesOf(field("a", "1")), 0xff, ...bytesOf(END)])],
];

test.each(OTHERS)("%s is left to the parser of streams", (_, body) => {
  const bytes = typeof body === "string" ? bytesOf(body) : body;
  expect(readPlainForm(TYPE, bytes)?.length ?? 0).toBe(0);
});

test.each([
  "multipart/form-data",
  "multipart/form-data; charset=utf-8; boundary=b-1",
  "multipart/form-data; boundary=b 1",
  'multipart/form-data; boundary="b-1',
])("the type %s is left to the parser of streams", (type) => {
  expect(readPlainForm(type, bytesOf(field("a", "1") + END))).toBeNull();
});
