import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import type { Scope } from "../../../src/core/scopes.ts";
import { loseStoredAnswers } from "../../support/database.ts";
import {
  type Answer,
  connectSandbox,
  createMember,
  createToken,
  type Fields,
  form,
  Harness,
  harnessWith,
  type Member,
  START,
} from "../../support/harness.ts";
import { isFull } from "../../support/load.ts";
import {
  BOUNDARY,
  bytesOf,
  CONTENT_TYPE,
  END,
  field,
  file,
  join,
  part,
} from "../../support/multipart.ts";
import { pixelPng } from "../../support/videos.ts";

interface Stage {
  harness: Harness;
  member: Member;
  accountId: string;
  /** A post with the fields; account and text stand by themselves. */
  post(fields?: Fields, options?: { token?: string; query?: string }): Promise<Answer>;
  /** A body written by hand, after account and text. */
  send(...parts: (Uint8Array | string)[]): Promise<Answer>;
  raw(body: BodyInit, contentType?: string): Promise<Answer>;
  uploads(): Promise<Record<string, unknown>[]>;
  objects(): Promise<string[]>;
}

async function onStage(harness = new Harness()): Promise<Stage> {
  const member = await createMember();
  const accountId = await connectSandbox(harness, member);
  const raw = (body: BodyInit, contentType = CONTENT_TYPE) =>
    harness.call("POST", "/upload", {
      token: member.token,
      body,
      headers: contentType ? { "content-type": contentType } : {},
    });
  return {
    harness,
    member,
    accountId,
    post: (fields = {}, { token = member.token, query = "" } = {}) =>
      harness.call("POST", `/upload${query}`, {
        token,
        body: form({ accountId, description: "Hello", ...fields }),
      }),
    send: (...parts) =>
      raw(join(field("accountId", accountId), field("description", "Hello"), ...parts)),
    raw,
    uploads: async () => {
      const rows = await env.DB.prepare("SELECT * FROM uploads WHERE team_id = ? ORDER BY id")
        .bind(member.teamId)
        .all();
      return rows.results;
    },
    objects: async () => {
      const { objects } = await env.MEDIA.list({ prefix: `media/${member.teamId}/` });
      return objects.map(({ key }) => key);
    },
  };
}

/** Nothing came of a refused post: no row, and no file once everything has settled. */
async function expectNothingLeft(stage: Stage): Promise<void> {
  await stage.harness.settle();
  expect(await stage.uploads()).toEqual([]);
  // Work left running by a refused request would have stored its file by now.
  for (let i = 0; i < 20; i++) await stage.objects();
  expect(await stage.objects()).toEqual([]);
}

const fieldsOf = (answer: Answer): string[] =>
  (answer.body.errors ?? []).map((error: { field: string }) => error.field);

/** A PNG of exactly that size, and other bytes each time. */
let serial = 0;
function pngOf(sizeBytes = pixelPng.length + 8): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(sizeBytes);
  bytes.set(pixelPng);
  new DataView(bytes.buffer).setUint32(sizeBytes - 4, ++serial);
  return bytes;
}
const image = (sizeBytes?: number): Blob => new Blob([pngOf(sizeBytes)], { type: "image/png" });
const MP4 = join(new Uint8Array([0, 0, 0, 24]), "ftypisom", new Uint8Array(64));
const PDF = bytesOf("%PDF-1.7\n");

describe("a post that is taken", () => {
  test("answers with its id, status and job", async () => {
    const stage = await onStage();
    const answer = await stage.post();
    const { uploadId } = answer.body.data;
    expect(answer).toMatchObject({
      status: 200,
      body: {
        success: true,
        message: "Queued for publishing.",
        data: { uploadId, status: "pending", jobId: `job_${uploadId}_1`, scheduledFor: null },
      },
    });
    expect(Object.keys(answer.body.data).sort()).toEqual([
      "jobId",
      "scheduledFor",
      "status",
      "uploadId",
    ]);
    expect(Number.isInteger(uploadId)).toBe(true);
    expect(stage.harness.sent).toMatchObject([{ message: { kind: "publish", uploadId } }]);
  });

  test.each<[string, Fields]>([
    ["an image in photo", { photo: image() }],
    ["an image in file", { file: image() }],
    ["an image in photo[]", { "photo[]": image() }],
    ["four images", { photo: [image(), image(), image(), image()] }],
    ["images over several fields", { photo: [image(), image()], file: image() }],
    ["an image of exactly 2,000,000 bytes", { photo: image(2_000_000) }],
    ["an image without text", { description: "", photo: image() }],
    ["a title instead of a description", { description: "", title: "Only a title" }],
    ["an image by its public URL", { photo: "https://cdn.example.com/a.png" }],
    ["an http URL", { photo: "http://cdn.example.com/a.png" }],
    ["fields of other networks, which are ignored", { privacy_level: "nonsense", tags: "a,b" }],
    ["a field nobody knows", { "what is this": "?" }],
    ["an empty photo field beside text", { photo: "" }],
    ["a video", { video: new Blob([MP4]) }],
    ["a video in file", { file: new Blob([MP4]) }],
    ["a video by its public URL", { video: "https://cdn.example.com/a.mp4" }],
    ["languages", { bluesky_langs: "en, pt-BR ,de" }],
    ["repeated languages", { bluesky_langs: ["en", "de"] }],
    ["labels", { bluesky_labels: "sexual,nudity" }],
    ["an alt text for each image", { photo: [image(), image()], bluesky_alt_text: ["a", "b"] }],
    ["300 graphemes", { description: "e\u0301".repeat(300) }],
    ["3,000 bytes in 120 graphemes", { description: "👨‍👩‍👧‍👦".repeat(120) }],
  ])("has %s", async (_, fields) => {
    const stage = await onStage();
    const answer = await stage.post(fields);
    expect(answer.body).toMatchObject({ success: true, data: { status: "pending" } });
    await stage.harness.settle();
    expect(await stage.uploads()).toHaveLength(1);
  });

  test("keeps the author's own line breaks, spaces and characters", async () => {
    const stage = await onStage();
    const description =
      "  Zeile 1\nZeile 2 <b>&amp; ' \" \\ `$x` {{y}} %s \u202eRTL\u202c ZWJ 👩‍💻";
    const { body } = await stage.post({ description });
    const read = await stage.harness.call("GET", `/upload/${body.data.uploadId}`, {
      token: stage.member.token,
    });
    expect(read.body.data.description).toBe(description);
  });

  test("may have its fields after its files, the account included", async () => {
    const stage = await onStage();
    const answer = await stage.raw(
      join(
        file("photo", pngOf()),
        field("description", "Late"),
        field("accountId", stage.accountId),
        END,
      ),
    );
    expect(answer.status).toBe(200);
    expect(await stage.uploads()).toMatchObject([
      { description: "Late", account_id: stage.accountId },
    ]);
    expect(await stage.objects()).toHaveLength(1);
  });

  test("keeps the order of its URLs, whatever field names them", async () => {
    const stage = await onStage();
    const [one, two] = ["https://cdn.example.com/1.png", "https://cdn.example.com/2.png"];
    expect((await stage.post({ file: one, photo: two })).status).toBe(200);
    const [upload] = await stage.uploads();
    expect(JSON.parse(String(upload?.media))).toEqual([{ url: one }, { url: two }]);
  });

  test("takes the last of several values", async () => {
    const stage = await onStage();
    await stage.post({ description: ["first", "last"], title: ["a", "b"] });
    expect(await stage.uploads()).toMatchObject([{ description: "last", title: "b" }]);
  });

  test.each([
    ["a.txt", "text/plain"],
    ["../../etc/passwd", "image/jpeg"],
    ["\u202egnp.exe", "application/x-msdownload"],
    ["", "application/octet-stream"],
    ["x".repeat(5_000), "image/png"],
    ["%00%2e%2e%2f", "text/html"],
    ["'; DROP TABLE uploads; --", "image/svg+xml"],
  ])("is judged by its bytes, not by the name %j or the type %s", async (fileName, type) => {
    const stage = await onStage();
    const answer = await stage.send(file("photo", pngOf(), { fileName, type }), END);
    expect(answer.status).toBe(200);
    const [key] = await stage.objects();
    expect(key).toMatch(new RegExp(`^media/${stage.member.teamId}/[0-9a-f]{32}$`));
    const row = await env.DB.prepare("SELECT mime, kind FROM media WHERE team_id = ?")
      .bind(stage.member.teamId)
      .first();
    expect(row).toEqual({ mime: "image/png", kind: "image" });
  });
});

describe("a post that is refused", () => {
  test.each<[string, Fields, string[]]>([
    ["no account", { accountId: "" }, ["accountId"]],
    ["a blank account", { accountId: "   " }, ["accountId"]],
    ["no text and no media", { description: "" }, ["description"]],
    ["blank text", { description: " \n\t " }, ["description"]],
    ["301 graphemes", { description: "e\u0301".repeat(301) }, ["description"]],
    [
      "3,001 bytes in 121 graphemes",
      { description: `${"👨‍👩‍👧‍👦".repeat(120)}x` },
      ["description"],
    ],
    ["a title of 301 characters", { description: "", title: "x".repeat(301) }, ["title"]],
    ["five images", { photo: [image(), image(), image(), image(), image()] }, ["photo"]],
    ["five URLs", { photo: Array(5).fill("https://cdn.example.com/a.png") }, ["photo"]],
    [
      "four images and a URL",
      { photo: [image(), image(), image(), image(), "https://cdn.example.com/a"] },
      ["photo"],
    ],
    ["an image of 2,000,001 bytes", { photo: image(2_000_001) }, ["photo"]],
    ["two videos", { video: [new Blob([MP4]), new Blob([MP4])] }, ["video"]],
    ["a video beside an image", { video: new Blob([MP4]), photo: image() }, ["video"]],
    [
      "a video in video and one in file",
      { video: new Blob([MP4]), file: new Blob([MP4]) },
      ["video"],
    ],
    ["an image in video", { video: image() }, ["video"]],
    ["a document", { photo: new Blob([PDF]) }, ["photo"]],
    ["an empty file", { photo: new Blob([]) }, ["photo"]],
    [
      "text called .jpg",
      { photo: new File(["hello"], "a.jpg", { type: "image/jpeg" }) },
      ["photo"],
    ],
    [
      "HTML called .png",
      { photo: new File(["<html>"], "a.png", { type: "image/png" }) },
      ["photo"],
    ],
    ["SVG", { photo: new File(["<svg xmlns='x'/>"], "a.svg") }, ["photo"]],
    ["a zip", { photo: new Blob([bytesOf("PK\u0003\u0004")]) }, ["photo"]],
    ["a file in no file field", { document: image() }, ["document"]],
    ["four languages", { bluesky_langs: "en,de,fr,es" }, ["bluesky_langs"]],
    ["a language that is none", { bluesky_langs: "english!" }, ["bluesky_langs"]],
    ["a label that is none", { bluesky_labels: "spicy" }, ["bluesky_labels"]],
    [
      "more alt texts than images",
      { photo: image(), bluesky_alt_text: ["a", "b"] },
      ["bluesky_alt_text"],
    ],
    [
      "an alt text of 1,001 graphemes",
      { photo: image(), bluesky_alt_text: "x".repeat(1_001) },
      ["bluesky_alt_text"],
    ],
    ["an unknown status", { status: "published" }, ["status"]],
    ["the status pending", { status: "pending" }, ["status"]],
    ["the status completed", { status: "completed" }, ["status"]],
    ["a date without an offset", { schedule_date: "2026-12-02T09:00:00" }, ["schedule_date"]],
    ["a day without a time", { schedule_date: "2026-12-02" }, ["schedule_date"]],
    ["a date under another name", { scheduledFor: "2026-12-02T09:00:00Z" }, ["scheduledFor"]],
    ["an impossible date", { schedule_date: "2027-02-30T09:00:00Z" }, ["schedule_date"]],
    ["an impossible hour", { schedule_date: "2026-12-02T24:00:00Z" }, ["schedule_date"]],
    ["an impossible offset", { schedule_date: "2026-12-02T09:00:00+25:00" }, ["schedule_date"]],
    ["a date in words", { schedule_date: "tomorrow" }, ["schedule_date"]],
    [
      "a date under the name of the answers",
      { scheduledFor: "2026-12-24T18:00:00Z" },
      ["scheduledFor"],
    ],
    ["a date under another name", { scheduled_at: "2026-12-24T18:00:00Z" }, ["scheduled_at"]],
    ["a date under a misspelt name", { shedule_date: "2026-12-24T18:00:00Z" }, ["shedule_date"]],
    ["a date under a service's name", { publishAt: "2026-12-24T18:00:00Z" }, ["publishAt"]],
    ["epoch seconds", { schedule_date: "1796202000" }, ["schedule_date"]],
    ["an empty date", { schedule_date: "" }, ["schedule_date"]],
    ["this very moment", { schedule_date: START.toISOString() }, ["schedule_date"]],
    [
      "a moment ago by its offset",
      { schedule_date: "2026-12-01T09:59:59+01:00" },
      ["schedule_date"],
    ],
    ["six months and a second", { schedule_date: "2027-06-01T09:00:01Z" }, ["schedule_date"]],
    ["a NUL in the text", { description: "a\u0000b" }, ["description"]],
  ])("has %s", async (_, fields, expected) => {
    const stage = await onStage();
    const answer = await stage.post(fields);
    expect(answer).toMatchObject({ status: 400, body: { success: false } });
    expect([...new Set(fieldsOf(answer))]).toEqual(expected);
    for (const { message } of answer.body.errors) expect(message).toBeTruthy();
    expect(answer.body.error).toContain(answer.body.errors[0].message);
    await expectNothingLeft(stage);
  });

  test("is told all its faults at once", async () => {
    const stage = await onStage();
    const answer = await stage.post({
      description: "x".repeat(3_001),
      status: "gone",
      schedule_date: "yesterday",
      bluesky_labels: "spicy",
      bluesky_langs: "???",
      photo: new Blob(["text"]),
      file: "http://10.0.0.1/a.png",
      poster: image(),
    });
    expect(answer.status).toBe(400);
    expect([...new Set(fieldsOf(answer))].sort()).toEqual([
      "bluesky_labels",
      "bluesky_langs",
      "description",
      "file",
      "photo",
      "poster",
      "schedule_date",
      "status",
    ]);
    await expectNothingLeft(stage);
  });

  test.each([
    ["that does not exist", () => "acc_0000000000000000"],
    ["with a NUL", () => "acc_\u0000"],
    ["of SQL", () => "' OR 1=1 --"],
    ["of another team", async () => connectSandbox(new Harness(), await createMember())],
  ])("names an account %s: 404", async (_, find) => {
    const stage = await onStage();
    const answer = await stage.post({ accountId: await find(), photo: image() });
    expect(answer).toMatchObject({ status: 404, body: { success: false, code: "NOT_FOUND" } });
    await expectNothingLeft(stage);
  });

  test.each(["expired", "revoked"])("names an account that is %s: 409", async (status) => {
    const stage = await onStage();
    await env.DB.prepare("UPDATE accounts SET status = ? WHERE id = ?")
      .bind(status, stage.accountId)
      .run();
    const answer = await stage.post({ photo: image() });
    expect(answer).toMatchObject({
      status: 409,
      body: { success: false, code: "ACCOUNT_INACTIVE" },
    });
    await expectNothingLeft(stage);
  });

  test("names an account that has been disconnected: 404", async () => {
    const stage = await onStage();
    await stage.harness.call("DELETE", `/accounts/${stage.accountId}`, {
      token: stage.member.token,
    });
    expect((await stage.post()).status).toBe(404);
  });

  test.each([
    ["JSON", "{}", "application/json", 415],
    ["an encoded form", "accountId=1", "application/x-www-form-urlencoded", 415],
    ["text", "hello", "text/plain", 415],
    ["mixed", "hello", "multipart/mixed; boundary=x", 415],
    ["a type that only begins alike", "hello", "multipart/form-data-x; boundary=x", 415],
    ["a form without a boundary", "hello", "multipart/form-data", 415],
    ["a form with other parameters only", "hello", "multipart/form-data; charset=utf-8", 400],
    ["a form with an empty boundary", "hello", "multipart/form-data; boundary=", 400],
    ["a form with another boundary", "hello", "multipart/form-data; boundary=other", 400],
    [
      "a form with a giant boundary",
      "hello",
      `multipart/form-data; boundary=${"b".repeat(9_000)}`,
      400,
    ],
    ["an empty form", "", CONTENT_TYPE, 400],
    ["only an end", END, CONTENT_TYPE, 400],
    ["bytes of no meaning", "\u0000\u0001\u0002", CONTENT_TYPE, 400],
  ])("is %s", async (_, body, contentType, status) => {
    const stage = await onStage();
    const answer = await stage.raw(body, contentType);
    expect(answer).toMatchObject({ status, body: { success: false } });
    if (status === 415) expect(answer.body.code).toBe("UNSUPPORTED_MEDIA_TYPE");
    await expectNothingLeft(stage);
  });

  test("has no body at all: 415", async () => {
    const stage = await onStage();
    const answer = await stage.harness.call("POST", "/upload", { token: stage.member.token });
    expect(answer.status).toBe(415);
  });
});

describe("a body that ends early", () => {
  const whole = (accountId: string) =>
    join(
      field("accountId", accountId),
      field("description", "Hello"),
      file("photo", pngOf(200)),
      file("photo", pngOf(300)),
      field("bluesky_alt_text", "One"),
      END,
    );

  test.each([1, 40, 120, 260, 380, 450, 520, 600, 700, 800, 850, 900, 950, 970])(
    "at byte %i is refused, and leaves nothing",
    async (length) => {
      const stage = await onStage();
      const body = whole(stage.accountId);
      expect(body.length).toBeGreaterThan(length + END.length);
      const answer = await stage.raw(body.slice(0, length));
      expect(answer).toMatchObject({ status: 400, body: { success: false } });
      await expectNothingLeft(stage);
    },
  );

  test("just before its last boundary is refused, and leaves nothing", async () => {
    const stage = await onStage();
    const body = whole(stage.accountId);
    for (const missing of [3, 5, END.length - 2, END.length]) {
      const answer = await stage.raw(body.slice(0, -missing));
      expect([answer.status, missing]).toEqual([400, missing]);
    }
    await expectNothingLeft(stage);
  });

  test("in the middle of a large file is refused, and leaves nothing", async () => {
    const stage = await onStage();
    const parts = join(field("accountId", stage.accountId), file("photo", pngOf(9_000_000)));
    const answer = await stage.raw(parts.slice(0, -10));
    expect(answer.status).toBe(400);
    await expectNothingLeft(stage);
  });

  test("because the sender broke off is no 500 of ours", async () => {
    const stage = await onStage();
    const head = join(
      field("accountId", stage.accountId),
      file("photo", pngOf(1_000)).slice(0, -2),
    );
    const body = new ReadableStream({
      pull(controller) {
        if (head.length > 0) controller.enqueue(head);
        controller.error(new Error("Network connection lost."));
      },
    });
    await stage.raw(body).catch(() => undefined);
    await expectNothingLeft(stage);
  });
});

describe("a hostile body", () => {
  test.each<[string, () => (Uint8Array | string)[]]>([
    ["65 fields", () => [...Array.from({ length: 65 }, () => field("x", "1")), END]],
    ["65 files", () => [...Array.from({ length: 65 }, () => file("photo", pngOf())), END]],
    [
      "a file and 65 fields",
      () => [file("photo", pngOf()), ...Array(65).fill(field("x", "1")), END],
    ],
    [
      "100,000 parts",
      () => [join(...Array(1_000).fill(join(...Array(100).fill(field("x", "1"))))), END],
    ],
    ["a field of 300 KB", () => [field("title", "x".repeat(300_000)), END]],
    [
      "a file and a field of 300 KB",
      () => [file("photo", pngOf()), field("title", "x".repeat(300_000)), END],
    ],
    ["a part header of 20 KB", () => [field("x".repeat(20_000), "1"), END]],
    [
      "a file and a part header of 20 KB",
      () => [file("photo", pngOf()), field("x".repeat(20_000), "1"), END],
    ],
    ["a part header of 1 MB", () => [part([`X-Filler: ${"x".repeat(1_000_000)}`], "1"), END]],
    [
      "a part header without an end",
      () => [`--${BOUNDARY}\r\nContent-Disposition: form-data; name="x"`, END],
    ],
  ])("of %s is refused, and leaves nothing", async (_, parts) => {
    const stage = await onStage();
    const answer = await stage.send(...parts());
    expect(answer).toMatchObject({ status: 400, body: { success: false } });
    await expectNothingLeft(stage);
  });

  test.each(["__proto__", "constructor", "toString", "hasOwnProperty", "prototype", "valueOf"])(
    "a text field called %s is ignored like any unknown one",
    async (name) => {
      const stage = await onStage();
      const answer = await stage.send(field(name, "https://cdn.example.com/a.png"), END);
      expect(answer.status).toBe(200);
      expect(await stage.uploads()).toMatchObject([{ media: "[]", description: "Hello" }]);
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    },
  );

  test.each(["__proto__", "constructor", "toString", "hasOwnProperty", "prototype", "valueOf"])(
    "a file field called %s is refused like any unknown one, and leaves nothing",
    async (name) => {
      const stage = await onStage();
      const answer = await stage.send(file(name, pngOf()), END);
      expect(answer.status).toBe(400);
      expect(fieldsOf(answer)).toEqual([name]);
      await expectNothingLeft(stage);
    },
  );

  test.each(["foo", "shift_jis", "iso-8859-2", "utf-7", "__proto__", "constructor"])(
    "a text in the character set %s is read or refused, and is no 500",
    async (charset) => {
      const stage = await onStage();
      const answer = await stage.send(
        part(
          [
            'Content-Disposition: form-data; name="title"',
            `Content-Type: text/plain; charset=${charset}`,
          ],
          "abc",
        ),
        END,
      );
      expect([200, 400]).toContain(answer.status);
    },
  );

  test.each([
    ["without a name", ["Content-Disposition: form-data"]],
    ["without a disposition", ["Content-Type: text/plain"]],
    ["with another disposition", ['Content-Disposition: attachment; name="title"']],
    [
      "with two dispositions",
      ['Content-Disposition: form-data; name="a"', 'Content-Disposition: form-data; name="b"'],
    ],
    [
      "with an encoded file name",
      ["Content-Disposition: form-data; name=\"photo\"; filename*=foo''a.png"],
    ],
    [
      "with a transfer encoding",
      ['Content-Disposition: form-data; name="title"', "Content-Transfer-Encoding: base64"],
    ],
    [
      "with 30 headers",
      ['Content-Disposition: form-data; name="title"', ...Array(30).fill("X-A: b")],
    ],
    [
      "with a NUL in its file name",
      ['Content-Disposition: form-data; name="photo"; filename="a\u0000b"'],
    ],
    ["with bytes that are no UTF-8", ['Content-Disposition: form-data; name="\u00ff\u00fe"']],
  ])("a part %s is no 500", async (_, headers) => {
    const stage = await onStage();
    const answer = await stage.send(part(headers, "abc"), END);
    expect([200, 400]).toContain(answer.status);
  });

  test.each([
    ["a form of texts", []],
    ["a form with a file", [file("photo", pngOf())]],
  ])("%s in another encoding is refused, not stored with holes (400)", async (_, files) => {
    const stage = await onStage();
    const answer = await stage.raw(
      join(
        field("accountId", stage.accountId),
        field("description", new Uint8Array([0x63, 0x61, 0x66, 0xe9])),
        ...files,
        END,
      ),
    );
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatch(/description has bytes that are not UTF-8/);
    await expectNothingLeft(stage);
  });

  test.each([
    ["langs", "bluesky_langs", "not a language"],
    ["labels", "bluesky_labels", "not a label"],
  ])("a list of 96,000 wrong %s is refused, and is no 500", async (_, name, word) => {
    const stage = await onStage();
    const list = (n: number) =>
      Array.from({ length: 12_000 }, (_, i) => `${word.slice(0, 3)}${n * 12_000 + i}`).join(",");
    const answer = await stage.post({ [name]: Array.from({ length: 8 }, (_, n) => list(n)) });
    expect(answer.status).toBe(400);
    expect(answer.body.errors.length).toBeLessThanOrEqual(100);
  });
});

describe("the 100 MB of a body", () => {
  test("are refused by Content-Length before a byte is read (413)", async () => {
    const stage = await onStage();
    const answer = await stage.harness.call("POST", "/upload", {
      token: stage.member.token,
      body: "x",
      headers: { "content-type": CONTENT_TYPE, "content-length": "100000001" },
    });
    expect(answer).toMatchObject({ status: 413, body: { success: false } });
  });

  test.runIf(isFull)(
    "are counted where no length was promised (413), and leave nothing",
    async () => {
      const stage = await onStage();
      const chunk = new Uint8Array(1_000_000);
      let sent = 0;
      const body = new ReadableStream({
        pull(controller) {
          if (sent === 0) {
            const head = join(
              field("accountId", stage.accountId),
              file("photo", pixelPng).slice(0, -2),
            );
            controller.enqueue(head);
          } else {
            controller.enqueue(chunk);
          }
          sent++;
        },
      });
      const answer = await stage.raw(body);
      expect(answer).toMatchObject({ status: 413, body: { success: false } });
      expect(sent).toBeLessThan(130);
      await expectNothingLeft(stage);
    },
  );
});

describe("when a post is planned", () => {
  test("an instant with an offset is stored as UTC, and told in one event", async () => {
    const stage = await onStage();
    const answer = await stage.post({ schedule_date: "2026-12-24T18:30:00+05:30" });
    const { uploadId } = answer.body.data;
    const scheduledFor = "2026-12-24T13:00:00.000Z";
    expect(answer.body.data).toMatchObject({ status: "scheduled", scheduledFor });
    expect(await stage.uploads()).toMatchObject([
      {
        status: "scheduled",
        scheduled_for: Date.parse(scheduledFor),
        due_at: Date.parse(scheduledFor),
      },
    ]);
    const { results } = await env.DB.prepare(
      "SELECT name, data FROM events WHERE team_id = ? AND name LIKE 'upload.%'",
    )
      .bind(stage.member.teamId)
      .all<{ name: string; data: string }>();
    expect(results.map(({ name, data }) => [name, JSON.parse(data)])).toEqual([
      [
        "upload.scheduled",
        { uploadId, platform: "bluesky", accountId: stage.accountId, scheduledFor },
      ],
    ]);
    expect(stage.harness.sent).toEqual([]);
  });

  test.each([
    ["a second from now", "2026-12-01T09:00:01Z"],
    ["six months from now, to the second", "2027-06-01T09:00:00Z"],
    ["in lower case", "2026-12-02t09:00:00z"],
    ["with a space", "2026-12-02 09:00:00+00:00"],
    ["with fractions", "2026-12-02T09:00:00.123456Z"],
    ["with blanks around it", "  2026-12-02T09:00:00Z "],
  ])("%s is fine", async (_, schedule_date) => {
    const stage = await onStage();
    expect((await stage.post({ schedule_date })).body.data).toMatchObject({ status: "scheduled" });
  });
});

describe("where a post begins", () => {
  const future = "2026-12-02T09:00:00Z";

  test.each<[Scope[], Fields, string]>([
    [["*"], {}, "pending"],
    [["*"], { status: "draft" }, "draft"],
    [["*"], { status: "pending_approval" }, "pending_approval"],
    [["*"], { status: "draft", schedule_date: future }, "draft"],
    [["*"], { status: "pending_approval", schedule_date: future }, "pending_approval"],
    [["posts:publish"], {}, "pending"],
    [["posts:publish"], { schedule_date: future }, "scheduled"],
    [["posts:write"], {}, "pending_approval"],
    [["posts:write"], { schedule_date: future }, "pending_approval"],
    [["posts:write"], { status: "draft" }, "draft"],
    [["posts:write"], { status: "draft", schedule_date: future }, "draft"],
    [["posts:write", "accounts:write"], { status: "pending_approval" }, "pending_approval"],
  ])("with %j and %j: %s", async (scopes, fields, status) => {
    const stage = await onStage();
    const token = await createToken(stage.member.userId, { scopes });
    const answer = await stage.post(fields, { token });
    expect(answer.body.data).toMatchObject({ status });
    const scheduledFor = fields.schedule_date ? "2026-12-02T09:00:00.000Z" : null;
    expect(answer.body.data.scheduledFor).toBe(scheduledFor);
    if (status === "pending" || status === "scheduled") return;
    expect(await stage.uploads()).toMatchObject([{ due_at: null, woken_at: null }]);
    stage.harness.advance(2 * 86_400);
    await stage.harness.tick();
    const woken = stage.harness.sent.map(({ message }) => message.uploadId);
    expect(woken).not.toContain(answer.body.data.uploadId);
  });

  test.each<Scope>(["posts:read", "accounts:write", "analytics:read"])(
    "%s alone creates nothing (403), and no file is stored",
    async (scope) => {
      const stage = await onStage();
      const token = await createToken(stage.member.userId, { scopes: [scope] });
      const answer = await stage.post({ photo: image() }, { token });
      expect(answer).toMatchObject({ status: 403, body: { requiredScope: "posts:write" } });
      await expectNothingLeft(stage);
    },
  );
});

describe("async=false", () => {
  /** Lets the waiting call look again, and the queue work, until the call has its answer. */
  async function whileWaiting(stage: Stage, call: Promise<Answer>): Promise<Answer> {
    let isOver = false;
    const watched = call.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      if (stage.harness.sent.length > 0) await stage.harness.deliver();
      await vi.advanceTimersByTimeAsync(250);
    }
    return watched;
  }

  async function inFakeTime(): Promise<Stage> {
    const stage = await onStage();
    vi.useFakeTimers({ now: START, toFake: ["Date", "setTimeout"] });
    return stage;
  }

  test.each(["false", "FALSE", "False"])("%s waits until the post is out", async (value) => {
    const stage = await inFakeTime();
    const answer = await whileWaiting(stage, stage.post({}, { query: `?async=${value}` }));
    expect(answer).toMatchObject({
      status: 200,
      body: { success: true, data: { status: "completed", failure: null, errorMessage: null } },
    });
  });

  test("tells the failure of a post that failed", async () => {
    const stage = await inFakeTime();
    const call = stage.post(
      { description: "No [sandbox:content_flagged]" },
      { query: "?async=false" },
    );
    const { status, body } = await whileWaiting(stage, call);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      status: "failed",
      failure: { code: "content_flagged", retryable: false, nextAction: "edit_post" },
    });
    expect(body.data.errorMessage).toBeTruthy();
  });

  test("tells which part of a published post failed, and what to do", async () => {
    const stage = await inFakeTime();
    const fields = { first_comment: "No [sandbox:content_flagged]" };
    const call = stage.post(fields, { query: "?async=false" });
    const { body } = await whileWaiting(stage, call);
    expect(body.data).toMatchObject({ status: "completed", failure: null });
    expect(body.message).toMatch(/^The post is out, but part 1 failed: .+\. POST .+\/retry sends /);
  });

  test("tells how a post stands that is not out after 60 seconds", async () => {
    const stage = await inFakeTime();
    const call = stage.post({}, { query: "?async=false" });
    let isOver = false;
    const watched = call.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect((await watched).body.data).toMatchObject({ status: "pending", failure: null });
    expect(Date.now() - START.getTime()).toBeLessThan(120_000);
  });

  test.each<[string, Fields, string]>([
    ["a draft", { status: "draft" }, "draft"],
    ["a planned post", { schedule_date: "2026-12-02T09:00:00Z" }, "scheduled"],
  ])("answers at once for %s", async (_, fields, status) => {
    const stage = await onStage();
    const answer = await stage.post(fields, { query: "?async=false" });
    expect(answer.body.data).toMatchObject({ status, failure: null, errorMessage: null });
  });

  test.each(["true", "", "0", "no"])("any other value (%j) does not wait", async (value) => {
    const stage = await onStage();
    const answer = await stage.post({}, { query: `?async=${value}` });
    expect(answer.body.data).toMatchObject({ status: "pending" });
    expect(answer.body.data).not.toHaveProperty("failure");
  });
});

describe("the same content", () => {
  const rows = async (teamId: number) =>
    (await env.DB.prepare("SELECT object_key FROM media WHERE team_id = ?").bind(teamId).all())
      .results;

  test("is stored once in a team, in one post or in several, and apart in another", async () => {
    const stage = await onStage();
    const bytes = pngOf();
    const same = () => new Blob([bytes]);
    expect((await stage.post({ photo: [same(), same()] })).status).toBe(200);
    expect((await stage.post({ file: same() })).status).toBe(200);
    await stage.harness.settle();
    expect(await rows(stage.member.teamId)).toHaveLength(1);
    expect(await stage.objects()).toEqual([(await rows(stage.member.teamId))[0]?.object_key]);
    const uploads = await stage.uploads();
    expect(JSON.parse(uploads[0]?.media as string)).toHaveLength(2);
    expect(uploads).toMatchObject([{ file_size: bytes.length * 2 }, { file_size: bytes.length }]);

    const other = await onStage();
    await other.post({ photo: same() });
    await other.harness.settle();
    expect(await other.objects()).toHaveLength(1);
    expect(await other.objects()).not.toEqual(await stage.objects());
    await stage.harness.drain();
    const read = await stage.harness.call("GET", "/upload", { token: stage.member.token });
    expect(read.body.data.map(({ status }: { status: string }) => status)).toEqual([
      "completed",
      "completed",
    ]);
  });

  test("sent ten times at once is stored once, and every post finds it", async () => {
    const stage = await onStage();
    const bytes = pngOf();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        stage.post({ photo: new Blob([bytes]), description: `Number ${i}` }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    await stage.harness.settle();
    expect(await stage.objects()).toHaveLength(1);
    expect(await stage.objects()).toEqual([(await rows(stage.member.teamId))[0]?.object_key]);
  });

  test("stays when the answer of the database to a stored post is lost", async () => {
    const stage = await onStage();
    const restore = loseStoredAnswers(stage.harness);
    const answer = await stage.post({ photo: image() });
    expect(answer.status).toBe(500);
    restore();
    await stage.harness.settle();
    const stored = await rows(stage.member.teamId);
    expect(await stage.objects()).toEqual(stored.map(({ object_key }) => object_key));
    stage.harness.advance(60);
    await stage.harness.tick();
    await stage.harness.drain();
    const read = await stage.harness.call("GET", "/upload", { token: stage.member.token });
    expect(read.body.data).toMatchObject([{ status: "completed" }]);
  });

  test("is not taken for stored when storage refused it", async () => {
    const stage = await onStage();
    const { media } = stage.harness.deps;
    Object.assign(stage.harness.deps, {
      media: new Proxy(media, {
        get: (bucket, name) =>
          name === "put"
            ? () => Promise.reject(new Error("put: We encountered an internal error. (10001)"))
            : Reflect.get(bucket, name).bind(bucket),
      }),
    });
    const answer = await stage.post({ photo: image() });
    expect(answer).toMatchObject({ status: 500, body: { success: false, code: "INTERNAL" } });
    Object.assign(stage.harness.deps, { media });
    await expectNothingLeft(stage);
  });
});

test("a queue that is down does not lose the post", async () => {
  const stage = await onStage();
  const { publishQueue } = stage.harness.deps;
  Object.assign(stage.harness.deps, {
    publishQueue: { send: () => Promise.reject(new Error("Queue send failed")) },
  });
  expect((await stage.post()).status).toBe(200);
  Object.assign(stage.harness.deps, { publishQueue });
  stage.harness.advance(60);
  await stage.harness.tick();
  await stage.harness.drain();
  const read = await stage.harness.call("GET", "/upload", { token: stage.member.token });
  expect(read.body.data).toMatchObject([{ status: "completed" }]);
});

test("an address of our own is refused as media where it is known", async () => {
  const stage = await onStage(harnessWith({ publicUrl: "https://akimbo.example.com" }));
  const answer = await stage.post({ photo: "https://akimbo.example.com/health" });
  expect(answer.status).toBe(400);
  expect(fieldsOf(answer)).toEqual(["photo"]);
});
