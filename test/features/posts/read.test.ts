import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import {
  connectSandbox,
  createMember,
  type Fields,
  form,
  Harness,
  type Member,
  START,
} from "../../support/harness.ts";
import { pixelPng } from "../../support/videos.ts";

const harness = new Harness();
let member: Member;
let accountId: string;

interface Row {
  status?: string;
  title?: string | null;
  description?: string | null;
  platform?: string;
  /** Minutes after the start. */
  at?: number;
  deleted?: boolean;
}

/** Rows as they would be after a while; the ids in their order. */
async function insertUploads(rows: Row[], owner = { teamId: 0, accountId: "" }): Promise<number[]> {
  const { teamId, accountId: account } = owner.teamId ? owner : { ...member, accountId };
  const results = await env.DB.batch<{ id: number }>(
    rows.map(
      ({
        status = "completed",
        title = null,
        description = null,
        platform = "bluesky",
        ...row
      }) => {
        const at = START.getTime() + (row.at ?? 0) * 60_000;
        return env.DB.prepare(
          `INSERT INTO uploads (team_id, account_id, platform, status, status_group, title, description,
           settings, media, sort_at, created_at, scheduled_for, deleted_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, '{}', '[]', ?, ?, ?, ?) RETURNING id`,
        ).bind(
          teamId,
          account,
          platform,
          status,
          status === "processing" ? "pending" : status,
          title,
          description,
          at,
          START.getTime(),
          status === "scheduled" ? at : null,
          row.deleted ? at : null,
        );
      },
    ),
  );
  return results.map(({ results: [row] }) => row?.id ?? 0);
}

const list = (query = "", token = member.token) =>
  harness.call("GET", `/upload${query}`, { token });
const idsOf = (answer: { body: { data: { id: number }[] } }) =>
  answer.body.data.map(({ id }) => id);

let ids: Record<string, number>;
beforeAll(async () => {
  member = await createMember();
  accountId = await connectSandbox(harness, member);
  const names = [
    "draft",
    "approval",
    "scheduled",
    "pending",
    "processing",
    "completed",
    "failed",
    "foreign",
    "gone",
  ];
  const inserted = await insertUploads([
    { status: "draft", title: "Plan", at: 0 },
    { status: "pending_approval", description: "100% sure", at: 10 },
    { status: "scheduled", title: "snake_case", at: 2_000 },
    { status: "pending", description: 'It\'s "quoted"', at: 30 },
    { status: "processing", description: "Emoji 👩‍👩‍👧‍👦 here", at: 40 },
    { status: "completed", title: "PLAN b", description: "with text", at: 50 },
    { status: "failed", description: "<script>alert(1)</script>", at: 60 },
    { status: "completed", platform: "x", at: 70 },
    { status: "completed", title: "Plan of the dead", at: 80, deleted: true },
  ]);
  ids = Object.fromEntries(names.map((name, i) => [name, inserted[i] ?? 0]));
  const other = await createMember();
  await insertUploads([{ title: "Plan of another team" }, { status: "draft" }], {
    teamId: other.teamId,
    accountId,
  });
});

const named = (answer: Parameters<typeof idsOf>[0]): string[] =>
  idsOf(answer).map(
    (id) => Object.entries(ids).find(([, known]) => known === id)?.[0] ?? String(id),
  );

const ALL = [
  "scheduled",
  "foreign",
  "failed",
  "completed",
  "processing",
  "pending",
  "approval",
  "draft",
];
const iso = (minutes: number) => new Date(START.getTime() + minutes * 60_000).toISOString();

test.each<[string, string[]]>([
  ["", ALL],
  ["?status=draft", ["draft"]],
  ["?status=pending_approval", ["approval"]],
  ["?status=scheduled", ["scheduled"]],
  ["?status=pending", ["pending"]],
  ["?status=processing", ["processing"]],
  ["?status=completed", ["foreign", "completed"]],
  ["?status=failed", ["failed"]],
  ["?platform=x", ["foreign"]],
  ["?platform=bluesky", ALL.filter((name) => name !== "foreign")],
  ["?platform=tiktok", []],
  ["?search=plan", ["completed", "draft"]],
  ["?search=PLAN", ["completed", "draft"]],
  ["?search=Plan%20b", ["completed"]],
  ["?search=with%20text", ["completed"]],
  ["?search=b%0Awith", ["completed"]],
  ["?search=%25", ["approval"]],
  ["?search=_", ["scheduled"]],
  ["?search=100%25", ["approval"]],
  ["?search='s", ["pending"]],
  ["?search=%22quoted%22", ["pending"]],
  [
    "?search=%F0%9F%91%A9%E2%80%8D%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7%E2%80%8D%F0%9F%91%A6",
    ["processing"],
  ],
  ["?search=<script>", ["failed"]],
  ["?search=%27%20OR%201%3D1%20--", []],
  ["?search=nothing", []],
  ["?search=", ALL],
  [`?startDate=${iso(50)}`, ["scheduled", "foreign", "failed", "completed"]],
  [`?endDate=${iso(10)}`, ["approval", "draft"]],
  [`?startDate=${iso(30)}&endDate=${iso(50)}`, ["completed", "processing", "pending"]],
  [
    `?startDate=${encodeURIComponent("2026-12-01T10:50:00+01:00")}&endDate=${iso(50)}`,
    ["completed"],
  ],
  [`?startDate=${iso(50)}&endDate=${iso(30)}`, []],
  [`?startDate=${iso(1_999)}`, ["scheduled"]],
  [
    `?status=completed&platform=bluesky&search=plan&startDate=${iso(0)}&endDate=${iso(90)}`,
    ["completed"],
  ],
  ["?status=completed&platform=x&search=plan", []],
  ["?limit=2", ["scheduled", "foreign"]],
  ["?limit=2&page=2", ["failed", "completed"]],
  ["?limit=3&page=3", ["approval", "draft"]],
  ["?limit=3&page=4", []],
  ["?limit=1000&page=1000000", []],
  ["?limit=1", ["scheduled"]],
  ["?unknown=1&teamId=2", ALL],
])("GET /upload%s", async (query, expected) => {
  const answer = await list(query);
  expect(answer.status).toBe(200);
  expect(named(answer)).toEqual(expected);
});

test.each([
  ["", 8, 1, 100, 1],
  ["?limit=3", 8, 1, 3, 3],
  ["?limit=4&page=2", 8, 2, 4, 2],
  ["?limit=3&page=9", 8, 9, 3, 3],
  ["?status=failed", 1, 1, 100, 1],
  ["?search=nothing", 0, 1, 100, 0],
])("pagination of %j", async (query, total, page, limit, totalPages) => {
  const { body } = await list(query);
  expect(body.pagination).toEqual({ total, page, limit, totalPages });
});

test("posts of the same moment stand newest first, and no page repeats or skips one", async () => {
  const crowd = await createMember();
  const inserted = await insertUploads(
    Array.from({ length: 25 }, () => ({})),
    { teamId: crowd.teamId, accountId },
  );
  const seen: number[] = [];
  for (let page = 1; page <= 4; page++) {
    seen.push(...idsOf(await list(`?limit=7&page=${page}`, crowd.token)));
  }
  expect(seen).toEqual(inserted.toReversed());
});

test.each<[string, string[]]>([
  ["?limit=0", ["limit"]],
  ["?limit=-1", ["limit"]],
  ["?limit=1001", ["limit"]],
  ["?limit=abc", ["limit"]],
  ["?limit=", ["limit"]],
  ["?limit=1.5", ["limit"]],
  ["?limit=1e2", ["limit"]],
  ["?limit=0x10", ["limit"]],
  ["?limit=%201", ["limit"]],
  ["?limit=1&limit=2", ["limit"]],
  ["?limit=99999999999999999999", ["limit"]],
  ["?page=0", ["page"]],
  ["?page=2147483648", ["page"]],
  ["?page=9007199254740993", ["page"]],
  ["?page=-1", ["page"]],
  ["?status=gone", ["status"]],
  ["?status=COMPLETED", ["status"]],
  ["?status=", ["status"]],
  ["?platform=myspace", ["platform"]],
  ["?platform=Bluesky", ["platform"]],
  ["?startDate=2026-12-01T09:00:00", ["startDate"]],
  ["?startDate=2026-12-01", ["startDate"]],
  ["?startDate=2026-02-30T09:00:00Z", ["startDate"]],
  ["?endDate=2026-12-01T09:00:00", ["endDate"]],
  ["?endDate=now", ["endDate"]],
  [`?search=${"a".repeat(10_000)}`, ["search"]],
  [
    "?limit=0&page=0&status=x&platform=y&startDate=a&endDate=b",
    ["endDate", "limit", "page", "platform", "startDate", "status"],
  ],
])("GET /upload%s is refused, every field by name", async (query, fields) => {
  const answer = await list(query);
  expect(answer).toMatchObject({ status: 400, body: { success: false } });
  const refused = answer.body.errors.map(({ field }: { field: string }) => field);
  expect([...new Set(refused)].sort()).toEqual(fields);
});

test.each([
  [
    "Ärger im Büro",
    ["ärger", "ÄRGER", "Ärger im", "BÜRO", "büro", "ärger im büro", "Ärger Im Büro"],
  ],
  ["Открыто сегодня", ["открыто", "ОТКРЫТО", "сегодня", "СЕГОДНЯ"]],
  ["ΚΑΛΗΜΕΡΑ", ["καλημερα", "ΚΑΛΗΜΕΡΑ"]],
  ["今日は営業中です", ["営業中", `今日は${"営業中です"}`]],
  ["مفتوح اليوم", ["اليوم"]],
])("in %s, words of every script are found by small and capital letters", async (title, words) => {
  const searcher = await createMember();
  const [id] = await insertUploads([{ title }], { teamId: searcher.teamId, accountId });
  for (const word of words) {
    const path = `/upload?search=${encodeURIComponent(word)}`;
    expect([word, idsOf(await harness.call("GET", path, { token: searcher.token }))]).toEqual([
      word,
      [id],
    ]);
  }
});

test.each(["%00", "%ED%A0%80", "%FF", "a".repeat(1_000), "%5C", "*", "%2525"])(
  "a search for %s matches nothing, and is no 500",
  async (text) => {
    const answer = await list(`?search=${text}`);
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual([]);
  },
);

test.each([
  ...["0", "-1", "abc", "1e3", "1.0", "01", "0x1", "+1", "1 OR 1=1", "9007199254740993"],
  ...["99999999999999999999999", "null", "%00", "١", "1;", "x".repeat(101), "999999999999"],
])("GET /upload/%s is 404", async (id) => {
  const path = `/upload/${id.startsWith("%") ? id : encodeURIComponent(id)}`;
  const answer = await harness.call("GET", path, { token: member.token });
  expect(answer).toMatchObject({ status: 404, body: { success: false, code: "NOT_FOUND" } });
});

test("a deleted post is 404", async () => {
  expect((await harness.call("GET", `/upload/${ids.gone}`, { token: member.token })).status).toBe(
    404,
  );
});

describe("the record of a post", () => {
  async function record(fields: Fields, publish = false) {
    const stage = new Harness();
    const owner = await createMember();
    const account = await connectSandbox(stage, owner);
    await stage.call("PATCH", `/accounts/${account}`, {
      token: owner.token,
      json: { tags: "news,blog" },
    });
    const created = await stage.call("POST", "/upload", {
      token: owner.token,
      body: form({ accountId: account, description: "Hello", ...fields }),
    });
    const { uploadId } = created.body.data;
    if (publish) await stage.drain();
    const one = await stage.call("GET", `/upload/${uploadId}`, { token: owner.token });
    const all = await stage.call("GET", "/upload", { token: owner.token });
    expect(all.body.data).toEqual([one.body.data]);
    const base = {
      id: uploadId,
      title: null,
      description: "Hello",
      platform: "bluesky",
      version: expect.any(String),
      createdAt: START.toISOString(),
      uploadedAt: null,
      unpublishedAt: null,
      scheduledFor: null,
      thumbnailUrl: null,
      videoUrl: null,
      fileSize: "0",
      connectedAccount: {
        id: account,
        platform: "bluesky",
        accountName: `Ada ${owner.teamId}`,
        profileImageUrl: null,
        tags: "news,blog",
      },
      metadata: null,
      errorMessage: null,
      failure: null,
      reviewComment: null,
      fileDownload: null,
      xCredits: null,
      progress: null,
    };
    return { data: one.body.data, base };
  }

  test("as a draft", async () => {
    const { data, base } = await record({ status: "draft", title: "T" });
    expect(data).toEqual({ ...base, status: "draft", title: "T" });
  });

  test("when it is planned", async () => {
    const { data, base } = await record({ schedule_date: "2026-12-24T12:00:00+02:00" });
    expect(data).toEqual({
      ...base,
      status: "scheduled",
      scheduledFor: "2026-12-24T10:00:00.000Z",
    });
  });

  test("when it is out, with its image", async () => {
    const { data, base } = await record({ photo: new Blob([pixelPng]) }, true);
    expect(data).toEqual({
      ...base,
      status: "completed",
      uploadedAt: START.toISOString(),
      unpublishedAt: null,
      fileSize: String(pixelPng.length),
      thumbnailUrl: expect.stringMatching(
        /^https:\/\/akimbo\.test\/media\/\d+\/[0-9a-f]{64}\/thumbnail\?expires=\d+&signature=[0-9a-f]{64}$/,
      ),
      metadata: {
        videoId: expect.any(String),
        shareUrl: expect.stringMatching(/^https:\/\/bsky\.app\//),
      },
    });
  });

  test("when it failed", async () => {
    const { data, base } = await record({ description: "No [sandbox:media_invalid]" }, true);
    expect(data).toEqual({
      ...base,
      description: "No [sandbox:media_invalid]",
      status: "failed",
      errorMessage: expect.any(String),
      failure: { code: "media_invalid", retryable: false, nextAction: "replace_media" },
    });
  });
});

test("the public address of the instance stands in the addresses of files", async () => {
  const { teamId } = member;
  const sha256 = "a".repeat(64);
  await env.DB.prepare(
    `INSERT INTO uploads (team_id, account_id, platform, status, status_group, settings, media, sort_at, created_at)
     VALUES (?, ?, 'bluesky', 'completed', 'completed', '{}', ?, 0, 0)`,
  )
    .bind(teamId, accountId, JSON.stringify([{ sha256, kind: "video" }]))
    .run();
  const { body } = await list(`?endDate=${encodeURIComponent("1970-01-02T00:00:00Z")}`);
  expect(body.data[0].thumbnailUrl).toBeNull();
  expect(body.data[0].videoUrl).toContain(
    `https://akimbo.test/media/${teamId}/${sha256}/original?`,
  );
});
