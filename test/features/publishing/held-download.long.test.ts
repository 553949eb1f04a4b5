import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { sha256Hex } from "../../../src/core/signature.ts";
import { agentName } from "../../../src/platforms/kit/agent-names.ts";
import { callTool } from "../../support/agent.ts";
import { aroundBatches } from "../../support/database.ts";
import {
  connectSandbox,
  createMember,
  createToken,
  type Fields,
  form,
  Harness,
  type Member,
} from "../../support/harness.ts";
import { loadOf } from "../../support/load.ts";
import { Browser } from "../../support/person.ts";
import { PoolTeam } from "../../support/pools.ts";
import { photo } from "../../support/stage.ts";
import { testJpeg, testPng, verticalMp4 } from "../../support/videos.ts";

const PICTURE = "https://pictures.example.com/a.png";
const FILM = "https://pictures.example.com/a.mp4";
const SUBTITLES = "https://pictures.example.com/a.vtt";
const VTT = "WEBVTT\n\n00:00.000 --> 00:02.000\nHello";
const DAY = 86_400;

/** A server of files that a test can swap, and that counts what is fetched from it. */
class FileServer {
  readonly files = new Map<string, Uint8Array<ArrayBuffer> | string | number>();
  fetched: string[] = [];

  serve(harness: Harness): void {
    harness.network = async (input) => {
      const { url } = new Request(input);
      this.fetched.push(url);
      const file = this.files.get(url) ?? 404;
      return typeof file === "number" ? new Response("", { status: file }) : new Response(file);
    };
  }
}

let harness: Harness;
let owner: Member;
/** The token of a program of the owner's, all of whose posts are held. */
let writer: string;
let accountId: string;
let server: FileServer;

async function begin(platform = "bluesky"): Promise<void> {
  harness = new Harness();
  owner = await createMember();
  writer = await createToken(owner.userId, { scopes: ["posts:write", "posts:read"] });
  accountId = await connectSandbox(harness, owner, "Ada", platform);
  server = new FileServer();
  server.serve(harness);
}
beforeEach(() => begin());

const call = (method: string, path: string, json?: unknown, token = owner.token) =>
  harness.call(method, path, { token, ...(json === undefined ? {} : { json }) });
const get = async (id: number) => (await call("GET", `/upload/${id}`)).body.data;
const approve = (id: number, json?: unknown) => call("POST", `/upload/${id}/approve`, json);
let words = 0;
async function create(fields: Fields, token = writer): Promise<number> {
  const body = form({ accountId, description: `Words ${++words}`, ...fields });
  const made = await harness.call("POST", "/upload", { token, body });
  expect(made.body).toMatchObject({ success: true });
  return made.body.data.uploadId;
}
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the row holds
const row = (id: number): Promise<any> =>
  env.DB.prepare("SELECT * FROM uploads WHERE id = ?").bind(id).first();
const feed = async (account = accountId) => {
  const answer = await harness.request(`/sandbox/api/posts?accountId=${account}`);
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the feed holds
  return ((await answer.json()) as { posts: any[] }).posts;
};
const bytesOf = async (blob: Blob) => new Uint8Array(await blob.arrayBuffer());

describe("a file by URL that is swapped after the approval is not what goes out", () => {
  const DOORS: [string, () => Promise<number>][] = [
    ["of POST /upload", () => create({ photo: PICTURE })],
    ["of a draft", () => create({ photo: PICTURE, status: "draft" })],
    [
      "of POST /upload/bulk",
      async () => {
        const body = form({
          ...{ accounts: JSON.stringify([accountId]), description: `Words ${++words}` },
          photo: PICTURE,
        });
        const made = await harness.call("POST", "/upload/bulk", { token: writer, body });
        return made.body.results[0].uploadId;
      },
    ],
    [
      "of create_post",
      async () => {
        const args = { accountIds: [accountId], text: `Words ${++words}`, mediaUrls: [PICTURE] };
        const made = await callTool(harness, writer, "create_post", args);
        return made.structuredContent.posts[0].postId;
      },
    ],
  ];
  test.each(DOORS)("%s", async (_, door) => {
    const [seen, swapped] = [await bytesOf(photo()), await bytesOf(photo())];
    server.files.set(PICTURE, seen);
    const id = await door();
    await harness.drain();
    const { version, fileDownload } = await get(id);
    expect(fileDownload).toBeNull();
    server.files.set(PICTURE, swapped);
    expect((await approve(id, { version })).status).toBe(200);
    await harness.drain();
    expect(await get(id)).toMatchObject({ status: "completed" });
    const [post] = await feed();
    expect(post.media.map(({ sha256 }: { sha256: string }) => sha256)).toEqual([
      await sha256Hex(seen),
    ]);
    expect(server.fetched).toEqual([PICTURE]);
  });

  test("of a pool's item, whose post is held at its turn", async () => {
    const team = await PoolTeam.make(harness);
    const pool = await team.pool();
    const seen = await bytesOf(photo());
    server.files.set(PICTURE, seen);
    const added = await harness.call("POST", `/pools/${pool.id}/videos`, {
      token: await createToken(team.member.userId, { scopes: ["pools:write"] }),
      body: form({ title: "A tip", photo: PICTURE }),
    });
    expect(added.status).toBe(200);
    await team.runUntil("2026-12-01T09:35:00Z");
    const held = (await team.send("GET", "/upload?status=pending_approval")).data;
    expect(held).toHaveLength(1);
    expect(held[0].fileDownload).toBeNull();
    server.files.set(PICTURE, await bytesOf(photo()));
    await team.send("POST", `/upload/${held[0].id}/approve`, { version: held[0].version });
    await harness.drain();
    const [post] = await feed(team.accountId);
    expect(post.media[0].sha256).toBe(await sha256Hex(seen));
    expect(server.fetched).toEqual([PICTURE]);
  });

  test("of a scheduled post that a member edits, and of a failed one that is retried", async () => {
    const seen = await bytesOf(photo());
    const soon = new Date(Date.now() + DAY * 1_000).toISOString();
    const edited = await create({ photo: PICTURE, schedule_date: soon }, owner.token);
    const failed = await create({ photo: FILM }, owner.token);
    await harness.drain();
    expect((await get(failed)).failure.code).toBe("media_unreachable");
    server.fetched = [];
    server.files.set(PICTURE, seen).set(FILM, seen);
    const patched = await call("PATCH", `/upload/${edited}`, { description: "Else" }, writer);
    expect(patched.body.data.status).toBe("pending_approval");
    const retried = await call("POST", `/upload/${failed}/retry`, { force: true }, writer);
    expect(retried.body.data.status).toBe("pending_approval");
    await harness.drain();
    expect(server.fetched.sort()).toEqual([FILM, PICTURE]);
    server.files.clear();
    for (const id of [edited, failed]) expect((await approve(id)).status).toBe(200);
    await harness.drain();
    expect((await get(failed)).status).toBe("completed");
  });

  const SETTING_FILES = [
    { platform: "youtube", setting: "thumbnail_url", url: PICTURE, bytes: testJpeg },
    { platform: "instagram", setting: "cover_url", url: PICTURE, bytes: testJpeg },
    { platform: "x", setting: "x_subtitles_url", url: SUBTITLES, bytes: VTT },
  ] as const;

  /** A batch takes no film by its address. */
  const film = () => new File([verticalMp4], "film.mp4", { type: "video/mp4" });

  type Sent = (typeof SETTING_FILES)[number];
  const FILM_DOORS: [string, (sent: Sent) => Promise<number>][] = [
    ["POST /upload", ({ setting, url }) => create({ title: "Film", video: FILM, [setting]: url })],
    [
      "POST /upload/bulk",
      async ({ setting, url }) => {
        const fields = { accounts: JSON.stringify([accountId]), description: `Words ${++words}` };
        const body = form({ ...fields, title: "Film", video: film(), [setting]: url });
        const made = await harness.call("POST", "/upload/bulk", { token: writer, body });
        expect(made.body.results, JSON.stringify(made.body)).toHaveLength(1);
        return made.body.results[0].uploadId;
      },
    ],
    [
      "create_post",
      async ({ platform, setting, url }) => {
        const made = await callTool(harness, writer, "create_post", {
          ...{ accountIds: [accountId], text: `Words ${++words}`, title: "Film" },
          ...{ mediaUrls: [FILM], status: "pending_approval" },
          settings: { [platform]: { [agentName(platform, setting)]: url } },
        });
        expect(made.structuredContent?.posts, JSON.stringify(made)).toHaveLength(1);
        return made.structuredContent.posts[0].postId;
      },
    ],
    [
      "a pool",
      async ({ setting, url }) => {
        const json = { days: [0, 1, 2, 3, 4, 5, 6], time: "09:30", accountIds: [accountId] };
        const pool = { name: "Films", timezone: "UTC", slots: [json] };
        const { body } = await call("POST", "/pools", pool);
        const added = await harness.call("POST", `/pools/${body.pool.id}/videos`, {
          token: await createToken(owner.userId, { scopes: ["pools:write"] }),
          body: form({ title: "Film", video: FILM, metadata: JSON.stringify({ [setting]: url }) }),
        });
        expect(added.status, JSON.stringify(added.body)).toBe(200);
        for (let minute = 0; minute < 35; minute += 5) {
          harness.advance(300);
          await harness.tick();
          await harness.drain();
        }
        const held = (await call("GET", "/upload?status=pending_approval")).body.data;
        expect(held).toHaveLength(1);
        return held[0].id;
      },
    ],
  ];

  // A thumbnail is a file of the form: agents and pools have no field for it.
  const SETTINGS_ALONE = ["create_post", "a pool"];

  describe.each(FILM_DOORS)("of %s", (name, door) => {
    const isOffered = ({ setting }: Sent) =>
      setting !== "thumbnail_url" || !SETTINGS_ALONE.includes(name);
    test.each(SETTING_FILES.filter(isOffered))(
      "$platform: $setting",
      { timeout: 60_000 },
      async (sent) => {
        const { platform, url, bytes } = sent;
        await begin(platform);
        server.files.set(FILM, verticalMp4).set(url, bytes);
        const id = await door(sent);
        await harness.drain();
        const before = await get(id);
        expect(before).toMatchObject({ status: "pending_approval", fileDownload: null });
        const fetched = [...server.fetched];
        expect(fetched).toContain(url);
        const digest = await sha256Hex(bytes);
        expect((await row(id)).media).toContain(digest);
        server.files.set(FILM, testPng).set(url, url === SUBTITLES ? `${VTT} you` : testPng);
        expect((await approve(id, { version: before.version })).status).toBe(200);
        await harness.drain(200);
        const after = await get(id);
        expect([after.status, after.errorMessage, after.metadata?.warnings]).toEqual([
          ...["completed", null, undefined],
        ]);
        const [post] = await feed();
        if (platform === "youtube") expect(post.fields.thumbnail).toMatchObject({ sha256: digest });
        if (platform === "instagram") expect(post.fields.cover_url).toContain(digest);
        expect(server.fetched).toEqual(fetched);
      },
    );
  });
});

describe("an approval before the file is here", () => {
  test("is refused, and says when to try again (409 MEDIA_PENDING)", async () => {
    server.files.set(PICTURE, testPng);
    const id = await create({ photo: PICTURE });
    const { version, fileDownload } = await get(id);
    expect(fileDownload).toMatchObject({ state: "waiting" });
    for (const refused of [await approve(id), await approve(id, { version })]) {
      expect(refused).toMatchObject({ status: 409, body: { code: "MEDIA_PENDING" } });
      expect(refused.headers.get("retry-after")).toBe("30");
    }
    await harness.drain();
    const blind = await approve(id, { version });
    expect(blind).toMatchObject({ status: 409, body: { changed: ["files"] } });
    expect((await approve(id, { version: (await get(id)).version })).status).toBe(200);
  });

  const MEETINGS = loadOf(24, 48);

  test(`is refused however it meets the download, ${MEETINGS} times`, {
    timeout: 120_000,
  }, async () => {
    const seen = await bytesOf(photo());
    server.files.set(PICTURE, seen);
    let early = 0;
    for (let i = 0; i < MEETINGS; i++) {
      const id = await create({ photo: PICTURE, status: "draft", description: `Race ${i}` });
      const { version } = await get(id);
      const lag = async () => {
        for (let trip = 0; trip < i % 12; trip++) await env.DB.prepare("SELECT 1").first();
      };
      const [answer] = await Promise.all([
        lag().then(() => approve(id, i % 2 ? { version } : undefined)),
        harness.drain(),
      ]);
      if (answer.status === 200) {
        // It read the post after the file was pinned.
        expect((await row(id)).media).toContain(await sha256Hex(seen));
        expect(i % 2).toBe(0);
      } else {
        early++;
        expect(["MEDIA_PENDING", "POST_CHANGED"]).toContain(answer.body.code);
        expect((await row(id)).status).toBe("draft");
      }
      await env.DB.prepare("UPDATE uploads SET status = 'failed', due_at = NULL WHERE id = ?")
        .bind(id)
        .run();
    }
    expect(early).toBeGreaterThan(0);
  });
});

describe("a file that cannot be downloaded", () => {
  test("is told to author and reviewer, and its post is not approved until it is submitted again", async () => {
    const id = await create({ photo: PICTURE });
    await harness.drain();
    const { status, fileDownload, errorMessage } = await get(id);
    expect([status, errorMessage]).toEqual(["pending_approval", null]);
    expect(fileDownload.state).toBe("failed");
    expect(fileDownload.message).toMatch(/answered with status 404.*Submit the post again/);
    const refused = await approve(id);
    expect(refused).toMatchObject({ status: 409, body: { code: "MEDIA_UNREACHABLE" } });
    expect(refused.body.error).toContain("404");
    const agent = await callTool(harness, writer, "get_post_status", { postId: id });
    expect(agent.structuredContent).toMatchObject({
      state: "awaiting_approval",
      error: expect.stringContaining("404"),
      nextAction: "replace_media",
    });
    const browser = await new Browser(harness).signIn(owner);
    const page = await browser.get(`/app/uploads/${id}`);
    expect(page.html).toContain("answered with status 404");
    expect(page.html).not.toContain("/approve?");
    server.files.set(PICTURE, testPng);
    const edited = await call("PATCH", `/upload/${id}`, { description: "Else" }, writer);
    expect(edited.status).toBe(200);
    expect((await call("POST", `/upload/${id}/submit`, undefined, writer)).status).toBe(200);
    await harness.drain();
    expect((await get(id)).fileDownload).toBeNull();
    // The submission was of the file alone: the edit before it is still to be read.
    expect((await approve(id)).body.code).toBe("VERSION_REQUIRED");
  });

  test.each<[string, Uint8Array<ArrayBuffer> | string | number, number, RegExp]>([
    ["answers with an error, four times", 500, 4, /status 500/],
    ["is no image", "<html>", 1, /not an image/],
    ["is private", 403, 1, /status 403/],
  ])("because it %s", async (_, file, times, says) => {
    server.files.set(PICTURE, file);
    const id = await create({ photo: PICTURE });
    await harness.drain();
    expect(server.fetched).toHaveLength(times);
    expect((await get(id)).fileDownload).toMatchObject({
      state: "failed",
      message: expect.stringMatching(says),
    });
    expect(await row(id)).toMatchObject({ due_at: null, status: "pending_approval" });
  });

  test("costs a post that can do without it nothing else: a thumbnail", async () => {
    await begin("youtube");
    server.files.set(FILM, verticalMp4);
    const id = await create({ title: "Film", video: FILM, thumbnail_url: PICTURE });
    await harness.drain();
    const { version, fileDownload } = await get(id);
    expect(fileDownload).toBeNull();
    server.files.set(PICTURE, testJpeg);
    expect((await approve(id, { version })).status).toBe(200);
    await harness.drain(200);
    const { metadata } = await get(id);
    expect(metadata.warnings).toEqual([expect.stringContaining(PICTURE)]);
  });

  test("is not fetched from inside: a cover at an address of ours that is no presigned file", async () => {
    await begin("instagram");
    server.files.set(FILM, verticalMp4);
    const inside = "https://akimbo.test/media/1/2";
    const id = await create({ title: "Film", video: FILM, cover_url: inside });
    await harness.drain();
    expect((await get(id)).fileDownload).toMatchObject({ state: "failed" });
    expect(server.fetched).toEqual([FILM]);
  });
});

describe("the row says what is to be done", () => {
  test("when the message is lost", async () => {
    server.files.set(PICTURE, testPng);
    const id = await create({ photo: PICTURE });
    harness.sent.length = 0;
    for (let minute = 0; minute < 3; minute++) {
      harness.advance(60);
      await harness.tick();
      await harness.drain();
    }
    expect((await get(id)).fileDownload).toBeNull();
    expect(server.fetched).toEqual([PICTURE]);
    expect(await row(id)).toMatchObject({ due_at: null, status: "pending_approval", crashes: 0 });
  });

  test("when the message comes twice, or the run breaks off", async () => {
    server.files.set(PICTURE, testPng);
    const id = await create({ photo: PICTURE });
    const message = { kind: "publish" as const, uploadId: id };
    let deaths = 0;
    aroundBatches(harness, async (run, text) => {
      if (deaths === 0 && text.includes("media_uses")) {
        deaths++;
        throw new Error("The worker was killed.");
      }
      return run();
    });
    harness.sent.length = 0;
    await harness.consume([message, message]);
    expect(deaths).toBe(1);
    await harness.consume([message]);
    expect(server.fetched).toHaveLength(1);
    harness.advance(400);
    await harness.tick();
    await harness.drain();
    expect((await get(id)).fileDownload).toBeNull();
    expect(server.fetched).toHaveLength(2);
  });

  test("and nothing is, for a post that is removed", async () => {
    const id = await create({ photo: PICTURE });
    expect((await call("DELETE", `/upload/${id}`)).status).toBe(200);
    await harness.drain();
    expect(server.fetched).toEqual([]);
    expect((await row(id)).due_at).toBeNull();
  });
});

test("the file stays as long as its post waits, and goes with it", async () => {
  server.files.set(PICTURE, testPng);
  const id = await create({ photo: PICTURE });
  await harness.drain();
  const stored = () =>
    env.DB.prepare("SELECT count(*) AS files FROM media WHERE team_id = ?")
      .bind(owner.teamId)
      .first("files");
  const wait = async (days: number) => {
    for (let hour = 0; hour < 24 * days; hour += 6) {
      harness.advance(6 * 3_600);
      for (let tick = 0; tick < 3; tick++) await harness.tick();
    }
  };
  await wait(3);
  expect(await stored()).toBe(1);
  await call("DELETE", `/upload/${id}`);
  await wait(2);
  expect(await stored()).toBe(0);
});

test("a post that nobody has to approve is downloaded when it is published, as before", async () => {
  server.files.set(PICTURE, testPng);
  const soon = new Date(Date.now() + DAY * 1_000).toISOString();
  await create({ photo: PICTURE, schedule_date: soon }, owner.token);
  await harness.drain();
  expect(server.fetched).toEqual([]);
});

test("a client sees the picture, and until it is here that it is on its way", async () => {
  server.files.set(PICTURE, testPng);
  const id = await create({ photo: PICTURE });
  const link = await call("POST", "/upload/review-links", { uploadIds: [id] });
  const path = new URL(link.body.data.url).pathname;
  const client = new Browser(harness);
  expect((await client.get(path)).html).toContain("still being fetched");
  await harness.drain();
  const page = await client.get(path);
  expect(page.html).toContain(await sha256Hex(testPng));
  expect(page.html).not.toContain(PICTURE);
});
