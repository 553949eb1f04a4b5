import { describe, expect, test } from "vitest";
import type { Platform } from "../../../src/core/platforms.ts";
import {
  MAX_COMMENT_CHARACTERS,
  MAX_DECIDED_AT_ONCE,
} from "../../../src/features/approval/decide.ts";
import {
  altOf,
  cutLines,
  describePost,
  ratioClass,
} from "../../../src/features/review/likeness.ts";
import { MAX_NOTE_CHARACTERS, MAX_REVIEWED } from "../../../src/features/review/rules.ts";

test("a client's note and a page of posts are within what decisions take", () => {
  expect([MAX_NOTE_CHARACTERS, MAX_REVIEWED]).toEqual([
    MAX_COMMENT_CHARACTERS,
    MAX_DECIDED_AT_ONCE,
  ]);
});

const FILE = { kind: "video", mime: "video/mp4", sizeBytes: 1, width: null, height: null } as const;

const describeStored = (platform: Platform, more: object = {}) =>
  describePost({
    ...{ platform, title: "Title", description: "Description", settings: {}, media: [], files: [] },
    ...more,
  });

describe("a stored post", () => {
  test("is described by its files, as they turned out to be", async () => {
    const media = [{ sha256: "a", kind: "image" as const }];
    const shown = await describeStored("tiktok", { media, files: [{ ...FILE, sha256: "a" }] });
    expect(shown).toMatchObject({ heading: null, text: "Title\nDescription", unpublished: [] });
  });

  test("keeps its texts once its files are gone", async () => {
    const media = [{ sha256: "a", kind: "video" as const, isGone: true as const }];
    expect(await describeStored("facebook", { media })).toMatchObject({ heading: "Title" });
  });

  test("is described without its thumbnail, and what could not be downloaded", async () => {
    const media = [
      { sha256: "a", kind: "video" as const, role: "thumbnail" as const },
      { url: "https://cdn.example/a.mp4", isGone: true as const },
    ];
    const texts = { heading: null, text: "Description" };
    expect(await describeStored("facebook", { media })).toMatchObject(texts);
  });

  test.each([
    ["https://cdn.example/a.mp4?x=1", "Title", "a picture", "Description"],
    ["https://cdn.example/a", null, "a video", "Title\nDescription"],
  ])("whose file is at %s tells the texts for another kind as well", async (url, ...expected) => {
    const [heading, kind, text] = expected;
    const { unpublished, ...shown } = await describeStored("facebook", { media: [{ url }] });
    expect(shown).toMatchObject({ heading, text: "Description" });
    const label = `Text, if the file turns out to be ${kind}`;
    expect(unpublished).toContainEqual({ label, text });
    expect((await describeStored("bluesky", { media: [{ url }] })).unpublished).toHaveLength(1);
  });

  test("has its settings in words", async () => {
    const settings = { bluesky_langs: ["de"] };
    const shown = await describeStored("bluesky", { settings });
    expect(shown.settings).toEqual([{ label: "Language", value: "German" }]);
  });
});

test.each([
  [2, "Short", null],
  [2, "a".repeat(91), 2],
  [2, "a\nb\nc", 2],
  [null, "a\n".repeat(300), null],
  [5, "a".repeat(226), 5],
] as const)("where %s lines are shown at first, a text is cut to that", (max, text, lines) => {
  expect(cutLines({ shownLines: max, text })).toBe(lines);
});

test.each([
  [1_080, 1_920, "r9x16"],
  [1_080, 1_350, "r4x5"],
  [1_000, 1_000, "r1x1"],
  [1_200, 628, "r16x9"],
  [null, null, "r1x1"],
  [0, 5, "r1x1"],
])("%s x %s fits into %s", (width, height, name) => {
  expect(ratioClass(width, height)).toBe(name);
});

test.each([
  [undefined, 0, 1, "The picture of the post"],
  ["", 1, 3, "Picture 2 of 3"],
  ["A pier", 1, 2, "A pier"],
])("a file of the alternative text %j is told by words", (published, at, count, text) => {
  expect(altOf(published, at, count)).toBe(text);
});
