import { describe, expect, test } from "vitest";
import { parseByteRange } from "../../src/core/byte-range.ts";
import { detectFileType } from "../../src/core/file-type.ts";

describe("a Range header for a file of 100 bytes", () => {
  test.each<[string | undefined, ReturnType<typeof parseByteRange>]>([
    ["bytes=0-0", { offset: 0, length: 1 }],
    ["bytes=0-99", { offset: 0, length: 100 }],
    ["bytes=0-100", { offset: 0, length: 100 }],
    ["bytes=99-", { offset: 99, length: 1 }],
    ["bytes=50-60", { offset: 50, length: 11 }],
    ["bytes=-1", { offset: 99, length: 1 }],
    ["bytes=-100", { offset: 0, length: 100 }],
    ["bytes=-101", { offset: 0, length: 100 }],
    [" bytes=1-2 ", { offset: 1, length: 2 }],
    ["bytes=100-", "unsatisfiable"],
    ["bytes=100-200", "unsatisfiable"],
    ["bytes=-0", "unsatisfiable"],
    [undefined, null],
    ["", null],
    ["bytes=", null],
    ["bytes=-", null],
    ["bytes=2-1", null],
    ["bytes=a-b", null],
    ["bytes=1-2,3-4", null],
    ["bytes =1-2", null],
    ["bytes=1 - 2", null],
    ["bytes=+1-2", null],
    ["bytes=1.5-2", null],
    ["items=1-2", null],
    ["bytes=１-２", null],
  ])("%j", (header, expected) => {
    expect(parseByteRange(header, 100)).toEqual(expected);
  });

  test("an empty file has no range", () => {
    expect(parseByteRange("bytes=0-", 0)).toBe("unsatisfiable");
    expect(parseByteRange("bytes=-1", 0)).toBe("unsatisfiable");
  });
});

describe("what a file is by its first bytes", () => {
  const latin1 = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0));

  test.each<[string, string | null]>([
    ["\xff\xd8\xff\xe0", "image/jpeg"],
    ["\xff\xd8\xff\xdb", "image/jpeg"],
    ["\x89PNG\r\n\x1a\n", "image/png"],
    ["GIF87a", "image/gif"],
    ["GIF89a", "image/gif"],
    ["RIFF\x01\x02\x03\x04WEBPVP8 ", "image/webp"],
    ["\0\0\0\x18ftypisom", "video/mp4"],
    ["\0\0\0\x18ftypmp42", "video/mp4"],
    ["\0\0\0\x14ftypqt  ", "video/quicktime"],
    ["\x1a\x45\xdf\xa3", "video/webm"],
    ["%PDF-1.7", "application/pdf"],
    ["\0\0\0\x1cftypheic", null],
    ["\0\0\0\x1cftypavif", null],
    ["\0\0\0\x18ftypM4A ", null],
    ["RIFF\x01\x02\x03\x04WAVEfmt ", null],
    ["RIFF\x01\x02\x03\x04AVI ", null],
    ["\x89PNG\r\n", null],
    ["\xff\xd8", null],
    ["GIF", null],
    [" %PDF-1.7", null],
    ["<svg xmlns=", null],
    ["<!DOCTYPE html>", null],
    ["BM", null],
    ["PK\x03\x04", null],
    ["MZ", null],
    ["#!/bin/sh", null],
    ["", null],
  ])("%j is %s", (head, mime) => {
    expect(detectFileType(latin1(head))?.mime ?? null).toBe(mime);
  });
});

describe("an Office file", () => {
  const zip = (entry: string) => `PK\x03\x04${"\0".repeat(26)}${entry}`;
  const compound = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
  const openXml = "application/vnd.openxmlformats-officedocument";

  test.each<[string, string, string | null]>([
    [zip("word/document.xml"), "", `${openXml}.wordprocessingml.document`],
    [zip("ppt/presentation.xml"), "plan.docx", `${openXml}.presentationml.presentation`],
    [zip("[Content_Types].xml"), "plan.docx", `${openXml}.wordprocessingml.document`],
    [zip("[Content_Types].xml"), "PLAN.PPTX", `${openXml}.presentationml.presentation`],
    [zip("[Content_Types].xml"), "archive.zip", null],
    [zip("xl/workbook.xml"), "sheet.xlsx", null],
    [compound, "letter.doc", "application/msword"],
    [compound, "slides.ppt", "application/vnd.ms-powerpoint"],
    [compound, "letter.docx", null],
    [compound, "", null],
    ["Hello", "letter.docx", null],
  ])(
    "is known by its container, then by what is in it, last by its name (case %#)",
    (text, name, mime) => {
      const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
      expect(detectFileType(bytes, name)?.mime ?? null).toBe(mime);
    },
  );
});
