import { beforeEach, describe, expect, test } from "vitest";
import { type Answer, createToken, type Fields, form } from "../../support/harness.ts";
import { beginLife, type Columns, type Life, later } from "../../support/life.ts";
import { loadOf } from "../../support/load.ts";
import { Browser } from "../../support/person.ts";
import { PoolTeam } from "../../support/pools.ts";
import { decisionFields } from "../../support/review-page.ts";
import { photo } from "../../support/stage.ts";

const HOUR = 3_600;
const PICTURE = "https://pictures.example.com/a.png";

let life: Life;
let owner: Browser;
/** Files on a server of the author's, who may swap them. */
let files: Map<string, Uint8Array<ArrayBuffer>>;

beforeEach(async () => {
  life = await beginLife();
  await life.call("PATCH", "/settings", { requireMemberApproval: true });
  owner = (await new Browser(life.harness).signIn(life.member)).show(life.member.teamId);
  files = new Map();
  life.harness.network = async (input) => {
    const file = files.get(new Request(input).url);
    return file ? new Response(file) : new Response("", { status: 404 });
  };
});

const newPhoto = async () => new Uint8Array(await photo().arrayBuffer());
const get = async (id: number) => (await life.call("GET", `/upload/${id}`)).body.data;
const feed = async () => {
  const answer = await life.harness.request(`/sandbox/api/posts?accountId=${life.accountId}`);
  return ((await answer.json()) as { posts: unknown[] }).posts;
};

type Send = (method: string, path: string, json?: unknown) => Promise<Answer>;

/** A member who may write posts but not approve them. */
interface Author {
  token: string;
  send: Send;
}

const AUTHORS: Record<string, () => Promise<string>> = {
  "a member": () => life.colleague("MEMBER"),
  "the owner's program without posts:publish": () =>
    createToken(life.member.userId, { scopes: ["posts:write", "posts:read"] }),
};

let words = 0;
async function create({ token }: Author, fields: Fields = {}): Promise<number> {
  const sent = { accountId: life.accountId, title: "As read", description: `Post ${++words}` };
  const body = form({ ...sent, ...fields });
  const made = await life.harness.call("POST", "/upload", { token, body });
  expect(made.body, JSON.stringify(made.body)).toMatchObject({ success: true });
  await life.harness.drain();
  return made.body.data.uploadId;
}

const insert = (columns: Columns) => () =>
  life.insert({ title: "As read", description: `Post ${++words}`, ...columns });

/** A way by which an author may try to alter a post that an approver has read. */
interface Door {
  name: string;
  /** Makes the post that is read; without it, one that awaits approval. */
  begin?(author: Author): Promise<number>;
  /** All that an author can do; answers go unread, as some are refused. */
  alter(author: Author, id: number): Promise<unknown>;
  /**
   * The approvals that must be refused. `versions`: only an approval of the earlier version, because the author has
   * submitted the post again. `none`: the post is unchanged.
   */
  refuses: "all" | "versions" | "none";
}

const patch = (json: () => object) => (author: Author, id: number) =>
  author.send("PATCH", `/upload/${id}`, json());
const ELSE = () => ({ description: `Altered ${++words}` });

const DOORS: Door[] = [
  { name: "PATCH of the text", alter: patch(ELSE), refuses: "all" },
  { name: "PATCH of the title", alter: patch(() => ({ title: "Altered" })), refuses: "all" },
  {
    name: "PATCH of the date",
    alter: patch(() => ({ scheduledFor: later(HOUR).toISOString() })),
    refuses: "all",
  },
  {
    name: "PATCH of the date that was read",
    begin: (author) => create(author, { schedule_date: later(90 * 60).toISOString() }),
    alter: patch(() => ({ scheduledFor: later(HOUR).toISOString() })),
    refuses: "all",
  },
  {
    name: "PATCH of the text, then submit, retry and retry-failed",
    alter: async (author, id) => {
      await patch(ELSE)(author, id);
      await author.send("POST", `/upload/${id}/submit`);
      await author.send("POST", `/upload/${id}/retry`, { force: true });
      await author.send("POST", "/upload/retry-failed");
    },
    refuses: "all",
  },
  {
    name: "PATCH of the text, then a date, then the title back again",
    alter: async (author, id) => {
      await patch(() => ({ ...ELSE(), title: "Altered" }))(author, id);
      await patch(() => ({ title: "As read" }))(author, id);
    },
    refuses: "all",
  },
  {
    name: "PATCH of the text once its date has passed",
    begin: (author) => create(author, { schedule_date: later(HOUR).toISOString() }),
    alter: async (author, id) => {
      life.harness.advance(2 * HOUR);
      await life.harness.tick();
      await patch(ELSE)(author, id);
    },
    refuses: "all",
  },
  {
    name: "PATCH of settings, files, account and status",
    alter: async (author, id) => {
      for (const json of [
        { settings: { languages: "de" } },
        { bluesky_languages: "de" },
        { mediaUrls: [PICTURE] },
        { media: [{ url: PICTURE }] },
        { photo: PICTURE },
        { accountId: life.accountId },
        { status: "pending", description: "Altered" },
        { approvedBy: "team" },
        { editedFields: null, description: "Altered" },
      ]) {
        expect((await author.send("PATCH", `/upload/${id}`, json)).status).not.toBe(200);
      }
    },
    refuses: "none",
  },
  {
    name: "retry, submit and retry-failed alone",
    alter: async (author, id) => {
      await author.send("POST", `/upload/${id}/retry`, { force: true });
      await author.send("POST", `/upload/${id}/submit`);
      await author.send("POST", "/upload/retry-failed");
    },
    refuses: "none",
  },
  {
    name: "a file by URL that is swapped, then submitted again",
    begin: async (author) => {
      files.set(PICTURE, await newPhoto());
      return create(author, { photo: PICTURE });
    },
    alter: async (author, id) => {
      files.set(PICTURE, await newPhoto());
      await author.send("POST", `/upload/${id}/submit`);
      await life.harness.drain();
    },
    refuses: "none",
  },
  {
    name: "a file by URL that nobody could read, then put there and submitted again",
    begin: (author) => create(author, { photo: PICTURE }),
    alter: async (author, id) => {
      files.set(PICTURE, await newPhoto());
      expect((await author.send("POST", `/upload/${id}/submit`)).status).toBe(200);
      await life.harness.drain();
      files.clear();
    },
    refuses: "versions",
  },
  {
    name: "PATCH of a draft",
    begin: () => insert({ status: "draft" })(),
    alter: patch(ELSE),
    refuses: "all",
  },
  {
    name: "PATCH of a draft, then submit",
    begin: () => insert({ status: "draft" })(),
    alter: async (author, id) => {
      await patch(ELSE)(author, id);
      await author.send("POST", `/upload/${id}/submit`);
    },
    refuses: "versions",
  },
  {
    name: "PATCH of a post that was planned",
    begin: () => insert({ status: "scheduled", scheduled_for: later(HOUR).getTime() })(),
    alter: patch(ELSE),
    refuses: "versions",
  },
  {
    name: "PATCH of a post that failed, then retry",
    begin: () => insert({ status: "failed" })(),
    alter: async (author, id) => {
      await patch(ELSE)(author, id);
      await author.send("POST", `/upload/${id}/retry`, { force: true });
    },
    refuses: "versions",
  },
];

/** A post as its approver has read it, and the ways in which they then approve it. */
interface Read {
  id: number;
  version: string;
  /** The form of a client's review page that was open before; null where the post was not to be reviewed. */
  form: { client: Browser; path: string; fields: Record<string, string> } | null;
}

const isDone = ({ status }: { status: number }) => status < 400;
const approve = (id: number, json?: object, headers: Record<string, string> = {}) =>
  life.harness.call("POST", `/upload/${id}/approve`, {
    ...{ token: life.member.token, headers },
    ...(json ? { json } : {}),
  });

/** Each answers whether the approval was taken. */
const APPROVALS: Record<string, (read: Read) => Promise<boolean>> = {
  "the version in the body": async ({ id, version }) => isDone(await approve(id, { version })),
  "the version as If-Match": async ({ id, version }) =>
    isDone(await approve(id, undefined, { "if-match": `"${version}"` })),
  "the page that was open": async ({ id, version }) =>
    isDone(await owner.post(`/app/uploads/${id}/approve?seen=${version}`)),
  "the review page that was open": async ({ id, form }) => {
    if (!form) return false;
    await form.client.post(form.path, form.fields);
    return !["draft", "pending_approval", "failed"].includes((await life.row(id)).status);
  },
  "no version, by the API": async ({ id }) => isDone(await approve(id)),
  "no version, by a page": async ({ id }) => isDone(await owner.post(`/app/uploads/${id}/approve`)),
};
const isByVersion = (approval: string) => !approval.startsWith("no version");

async function openReview(id: number): Promise<Read["form"]> {
  const link = await life.call("POST", "/upload/review-links", { uploadIds: [id] });
  if (link.status !== 200) return null;
  const client = new Browser(life.harness);
  const path = new URL(link.body.data.url).pathname;
  const page = await client.get(path);
  // A file that is not here yet cannot be approved: its page has no button.
  return page.html.includes('value="approve"')
    ? { client, path, fields: decisionFields(page, "approve", id) }
    : null;
}

/** The version of a post that is read, and the one that goes out. */
async function contentOf(id: number) {
  const { title, description, scheduledFor } = await get(id);
  const { media } = await life.row(id);
  return { title, description, scheduledFor, media };
}

describe.each(Object.entries(AUTHORS).slice(0, loadOf(1, 2)))("%s", (_, makeToken) => {
  test.each(DOORS)("$name: only what was read goes out", { timeout: 120_000 }, async (door) => {
    const token = await makeToken();
    const send: Send = (method, path, json) => life.call(method, path, json, token);
    const author = { token, send };
    const reads = new Map<string, Read & { status: string; content: object }>();
    for (const approval of Object.keys(APPROVALS)) {
      const id = await (door.begin ?? create)(author);
      const { status } = await life.row(id);
      const isReviewed = approval.startsWith("the review page");
      // A draft is submitted by its review link, and an author who submits it again could not.
      const form = isReviewed && status === "pending_approval" ? await openReview(id) : null;
      if (isReviewed && !form) {
        await life.call("DELETE", `/upload/${id}`);
        continue;
      }
      const { version } = await get(id);
      reads.set(approval, { id, version, form, status, content: await contentOf(id) });
    }
    for (const { id } of reads.values()) await door.alter(author, id);
    const found: Record<string, unknown> = {};
    const wanted: Record<string, unknown> = {};
    const altered = new Map<number, string>();
    for (const [approval, read] of reads) {
      altered.set(read.id, (await life.row(read.id)).status);
      found[approval] = [await APPROVALS[approval]?.(read)];
    }
    await life.harness.drain();
    life.harness.advance(2 * HOUR);
    await life.harness.tick();
    await life.harness.drain();
    let approved = 0;
    for (const [approval, { id, content }] of reads) {
      const isGood =
        door.refuses === "none" || (door.refuses === "versions" && !isByVersion(approval));
      if (isGood) approved++;
      found[approval] = [found[approval], (await life.row(id)).status].flat();
      wanted[approval] = [isGood, isGood ? "completed" : altered.get(id)];
      if (door.refuses === "none") expect(await contentOf(id)).toEqual(content);
    }
    expect(found).toEqual(wanted);
    expect(await feed()).toHaveLength(approved);
  });
});

test("a pool's item, whatever its author does to it once its post is held", async () => {
  const team = await PoolTeam.make();
  const pool = await team.pool();
  const token = await createToken(team.member.userId, {
    scopes: ["pools:write", "pools:read", "posts:write", "posts:read"],
  });
  const add = (title: string) =>
    team.harness.call("POST", `/pools/${pool.id}/videos`, {
      token,
      body: form({ title, photo: photo() }),
    });
  const added = await add("As read");
  expect(added.status, JSON.stringify(added.body)).toBe(200);
  await team.runUntil("2026-12-01T09:35:00Z");
  const [post] = (await team.send("GET", "/upload?status=pending_approval")).data;
  const [slot] = pool.slots;
  const item = (await team.items(pool.id))[0]?.id;
  const tries = [
    await team.call("PATCH", `/pools/${pool.id}`, { name: "Else", timezone: "Asia/Tokyo" }, token),
    await team.call("DELETE", `/pools/${pool.id}/videos/${item}`, undefined, token),
    await team.call("DELETE", `/pools/${pool.id}/videos`, undefined, token),
    await team.call("PATCH", `/pools/${pool.id}/slots/${slot?.id}`, { time: "10:30" }, token),
    await add("Altered"),
  ];
  expect(tries.map(({ status }) => status)).not.toContain(500);
  const { version } = post;
  await team.send("POST", `/upload/${post.id}/approve`, { version });
  await team.harness.drain();
  const answer = await team.harness.request(`/sandbox/api/posts?accountId=${team.accountId}`);
  const { posts } = await answer.json<{ posts: { text: string }[] }>();
  expect(posts.map(({ text }) => text)).toEqual([expect.stringContaining("As read")]);
  // The next post of the item's author is another one, and held like the first.
  const again = (await team.send("GET", `/upload/${post.id}`)).data;
  expect([again.title, again.version]).toEqual([post.title, version]);
});
