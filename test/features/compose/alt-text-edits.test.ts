import { beforeEach, describe, expect, test } from "vitest";
import type { Platform } from "../../../src/core/platforms.ts";
import { contentHash } from "../../../src/features/content/version.ts";
import { connectorOf } from "../../../src/platforms/registry.ts";
import { aroundBatches } from "../../support/database.ts";
import { Harness } from "../../support/harness.ts";
import { beginLife, type Columns, type Life, later } from "../../support/life.ts";
import { Browser } from "../../support/person.ts";

let life: Life;
let hashes: string[];

async function begin(platform: Platform = "bluesky"): Promise<void> {
  life = await beginLife(new Harness(), platform);
  hashes = await life.storeFiles(2);
}

beforeEach(() => begin());

const media = (...altTexts: (string | undefined)[]) =>
  JSON.stringify(altTexts.map((altText, i) => ({ sha256: hashes[i], kind: "image", altText })));
const edit = (id: number, json: unknown, token?: string) =>
  life.call("PATCH", `/upload/${id}`, json, token);
const altTexts = (...texts: (string | null | undefined)[]) => ({
  media: texts.map((altText) => ({ altText })),
});
const textsOf = async (id: number) =>
  JSON.parse((await life.row(id)).media).map(({ altText }: { altText?: string }) => altText);
const waiting = (columns: Columns = {}): Columns => ({
  status: "scheduled",
  scheduled_for: later(86_400).getTime(),
  ...columns,
});
const settingsOf = (platform: Platform, own: object): string => {
  const { values } = connectorOf(platform).settings.read({});
  return JSON.stringify({ ...(values as object), ...own });
};
const hashOf = async (id: number) => {
  const row = await life.row(id);
  const { account_id: accountId, title, description } = row;
  const [settings, files] = [JSON.parse(row.settings), JSON.parse(row.media)];
  const parts = JSON.parse(row.parts);
  return contentHash({ accountId, title, description, settings, media: files, parts });
};

describe("PATCH media[].altText", () => {
  test.each<[what: string, sent: (string | null | undefined)[], stored: (string | undefined)[]]>([
    ["sets the text of each file", ["New", " Two "], ["New", "Two"]],
    ["leaves a file without altText as it is", [undefined, "Two"], ["Old", "Two"]],
    ["leaves further files as they are", ["New"], ["New", undefined]],
    ["removes a text with null", [null], [undefined, undefined]],
    ["removes a text with an empty one", [""], [undefined, undefined]],
  ])("%s", async (_, sent, stored) => {
    const id = await life.insert({ status: "draft", media: media("Old", undefined) });
    const before = (await life.call("GET", `/upload/${id}`)).body.data.version;
    const { status, body } = await edit(id, altTexts(...sent));
    expect(status).toBe(200);
    expect(await textsOf(id)).toEqual(stored);
    expect(body.data.version).not.toBe(before);
  });

  test("counts a single file as one in its refusal", async () => {
    const id = await life.insert({ status: "draft", media: media(undefined) });
    const { body } = await edit(id, altTexts("A", "B"));
    expect(body.errors).toMatchObject([{ message: expect.stringContaining("has 1 file; 2") }]);
  });

  test.each<[what: string, json: object, field: string, message: RegExp]>([
    ["more texts than files", altTexts("A", "B", "C"), "media", /has 2 files; 3 were sent/],
    [
      "a long text",
      altTexts("A", "x".repeat(1_001)),
      "alt_text",
      /^Shorten alt_text of file 2: Blue/,
    ],
    [
      "a very long text",
      altTexts("x".repeat(5_001)),
      "media",
      /^media: that of file 1 must have at/,
    ],
    ["broken text", altTexts("\ud800"), "alt_text", /not valid Unicode/],
    ["another field of a file", { media: [{ sha256: "a" }] }, "media.0.sha256", /Unrecognized/],
    ["texts that are no list", { media: "A" }, "media", /must be an array with an object/],
  ])("refuses %s, and changes nothing", async (_, json, field, message) => {
    const id = await life.insert({ status: "draft", media: media("Old", undefined) });
    const before = await life.row(id);
    const { status, body } = await edit(id, { title: "New", ...json });
    expect(status).toBe(400);
    expect(body.errors).toContainEqual({ field, message: expect.stringMatching(message) });
    expect(await life.row(id)).toEqual(before);
  });

  test("with the texts that the post has changes nothing", async () => {
    const id = await life.insert(waiting({ media: media("Old", undefined) }));
    const before = await life.row(id);
    const token = await life.colleague("MEMBER", ["posts:write"]);
    expect((await edit(id, altTexts("Old", null), token)).status).toBe(200);
    expect(await life.row(id)).toEqual(before);
  });

  test("by somebody who may not approve sends the post back to approval", async () => {
    const approved = { media: media("Old"), approved_hash: "a".repeat(64), approved_by: "team" };
    const id = await life.insert(waiting(approved));
    const token = await life.colleague("MEMBER", ["posts:write"]);
    expect((await edit(id, altTexts("New"), token)).body.data.status).toBe("pending_approval");
    const again = await edit(id, altTexts("Newer"), token);
    expect(again.status).toBe(200);
    expect(JSON.parse((await life.row(id)).edited_fields)).toEqual(["files"]);
    const blind = await life.call("POST", `/upload/${id}/approve`, {});
    expect(blind.body).toMatchObject({ code: "VERSION_REQUIRED" });
  });

  test("by an approver approves the new texts, but a client is asked again", async () => {
    const approved = { media: media("Old"), approved_hash: "a".repeat(64), approved_by: "team" };
    const id = await life.insert(waiting(approved));
    await edit(id, altTexts("New"));
    expect(await life.row(id)).toMatchObject({
      status: "scheduled",
      approved_hash: await hashOf(id),
    });
    const ofClient = await life.insert(waiting({ ...approved, approved_by: "client" }));
    expect((await edit(ofClient, altTexts("New"))).body.data.status).toBe("pending_approval");
  });

  test("hides the text in the platform's own setting", async () => {
    await begin("x");
    const settings = settingsOf("x", { x_alt_text: "Own" });
    const id = await life.insert({ status: "pending_approval", settings, media: media(undefined) });
    const { body } = await life.call("POST", "/upload/review-links", { uploadIds: [id] });
    const open = () => new Browser(life.harness).get(new URL(body.data.url).pathname);
    expect((await open()).html).toContain("Own");
    await edit(id, altTexts("New"));
    const { html } = await open();
    expect(html).toContain("New");
    expect(html).not.toContain("Own");
    await edit(id, altTexts(null));
    expect(await textsOf(id)).toEqual([""]);
  });

  test("warns where the platform takes none", async () => {
    await begin("tiktok");
    const settings = settingsOf("tiktok", { privacy_level: "SELF_ONLY" });
    const urls = JSON.stringify([
      { url: "https://a.example/1.jpg" },
      { url: "https://a.example/2.jpg" },
    ]);
    const id = await life.insert({ status: "draft", settings, media: urls });
    const { body } = await edit(id, altTexts("A", "B"));
    expect(body.data.warnings).toContain(
      "TikTok: The alt text of files 1 and 2 is not published, because TikTok takes none for them.",
    );
  });

  test("is refused when another edit came between", async () => {
    const id = await life.insert({ status: "draft", media: media("Old") });
    let hasCome = false;
    const end = aroundBatches(life.harness, async (run, text) => {
      if (!hasCome && text.includes("UPDATE uploads")) {
        hasCome = true;
        expect((await edit(id, altTexts("Theirs"))).status).toBe(200);
      }
      return run();
    });
    expect((await edit(id, altTexts("Mine"))).body).toMatchObject({ code: "UPLOAD_LOCKED" });
    end();
    expect(await textsOf(id)).toEqual(["Theirs"]);
  });
});

describe("the review page", () => {
  const page = async (columns: Columns) => {
    const id = await life.insert({ status: "pending_approval", ...columns });
    const { body } = await life.call("POST", "/upload/review-links", { uploadIds: [id] });
    return (await new Browser(life.harness).get(new URL(body.data.url).pathname)).html;
  };

  test("shows the texts of the files in words and with the pictures", async () => {
    const html = await page({ media: media("A red door", "A garden") });
    expect(html).toContain('alt="A red door"');
    expect(html).toContain("Alternative text of file 1");
    expect(html).toContain("Alternative text of file 2");
    expect((await page({ media: media("Both", "Both") })).match(/Alternative text/g)).toHaveLength(
      1,
    );
  });

  test("shows a text that is left out as such", async () => {
    await begin("tiktok");
    const html = await page({ media: media("A red door", undefined) });
    expect(html).toContain("The alt text of file 1 is not published, because TikTok takes none");
    expect(html).toContain("A red door");
  });
});

test("a text changes the hash that an approval covers; posts without one keep theirs", async () => {
  const id = await life.insert({ status: "draft", media: media(undefined, undefined) });
  const before = await hashOf(id);
  await edit(id, altTexts("A"));
  expect(await hashOf(id)).not.toBe(before);
  await edit(id, altTexts(null));
  expect(await hashOf(id)).toBe(before);
});
