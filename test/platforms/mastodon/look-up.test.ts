import { expect, test } from "vitest";
import { mayShow } from "../../../src/platforms/mastodon/html.ts";
import { mastodon } from "../../../src/platforms/mastodon/index.ts";
import { image, later, NOW } from "../../support/network.ts";
import { error, job, json, scriptedFetch, status } from "./scripted.ts";

const LIST = "GET /api/v1/accounts/7/statuses";
const SOURCE = "GET /api/v1/statuses/11/source";

const at = (mediaIds: string[] = []) => ({
  stage: "ready",
  mediaIds,
  key: "k",
  readyAt: NOW.getTime(),
});

const from = (minutesAgo: number) => ({ created_at: later(-60 * minutesAgo).toISOString() });
const old = status({ id: "1", ...from(90) });
const own = (change: object = {}) => status({ created_at: later(2).toISOString(), ...change });
const said = (text: string) => json({ id: "11", text, spoiler_text: "" });

const FOUND = {
  kind: "published",
  platformPostId: "11",
  shareUrl: "https://mastodon.test/@ada/11",
};

const DOUBT = { kind: "unknowable" };

test.each<[string, object[], Response, object]>([
  ["the text", [own(), old], said("Hello, world"), FOUND],
  ["a text that the server trimmed", [own(), old], said(" Hello,  world "), FOUND],
  ["another text", [own(), old], said("Good night"), { kind: "absent" }],
  ["an old post of the text", [old], said("Hello, world"), { kind: "absent" }],
  ["the text, by a clock that is late", [own(from(3))], said("Hello, world"), DOUBT],
  ["the text, at a time nobody can read", [own({ created_at: "?" })], said("Hello, world"), DOUBT],
  [
    "the text twice, once from before",
    [own(), own({ id: "1", ...from(3) })],
    said("Hello, world"),
    FOUND,
  ],
  ["a reply of the text", [own({ in_reply_to_id: "3" })], said("Hello, world"), { kind: "absent" }],
  [
    "a picture",
    [own({ media_attachments: [{ id: "5" }] })],
    said("Hello, world"),
    { kind: "absent" },
  ],
  [
    "no source, but the shown text",
    [own({ content: "<p>Hello, <strong>world</strong></p>" })],
    error(404, "Record not found"),
    FOUND,
  ],
  ["nothing", [], said(""), { kind: "absent" }],
])("after a lost answer, the account has %s", async (_, listed, source, expected) => {
  const { fetch } = scriptedFetch({
    [LIST]: [json(listed), json([])],
    [SOURCE]: [source],
    "GET /api/v1/statuses/1/source": [said("Hello, world")],
  });
  expect(await mastodon.reconcile(job(fetch), at())).toMatchObject(expected);
});

test("a post with files is known by them, whatever its text", async () => {
  const attached = own({ media_attachments: [{ id: "5" }, { id: "6" }], content: "<p>x</p>" });
  const { fetch } = scriptedFetch({ [LIST]: [json([attached, old])] });
  const media = [image(), image()];
  expect(await mastodon.reconcile(job(fetch, { post: { media } }), at(["5", "6"]))).toMatchObject(
    FOUND,
  );
});

test("a server that renames its files leaves a doubt", async () => {
  const attached = own({ media_attachments: [{ id: "905" }] });
  const script = { [LIST]: [json([attached, old])], [SOURCE]: [said("Hello, world")] };
  const { fetch } = scriptedFetch(script);
  const media = [image()];
  expect(await mastodon.reconcile(job(fetch, { post: { media } }), at(["5"]))).toMatchObject({
    kind: "unknowable",
  });
});

test("two posts of the text leave a doubt", async () => {
  const { fetch } = scriptedFetch({
    [LIST]: [json([own({ id: "12" }), own(), old])],
    [SOURCE]: [said("Hello, world")],
    "GET /api/v1/statuses/12/source": [said("Hello, world")],
  });
  expect(await mastodon.reconcile(job(fetch), at())).toMatchObject({ kind: "unknowable" });
});

test("more new posts than are looked through leave a doubt", async () => {
  const page = () => json(Array.from({ length: 40 }, (_, i) => own({ id: `${900 - i}` })));
  const { fetch } = scriptedFetch({
    [LIST]: [page(), page(), page(), page(), page()],
    ...Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [
        `GET /api/v1/statuses/${900 - i}/source`,
        Array.from({ length: 5 }, () => said("Other")),
      ]),
    ),
  });
  expect(await mastodon.reconcile(job(fetch), at())).toMatchObject({ kind: "unknowable" });
});

test("a burst of other posts leaves no doubt, and costs no calls", async () => {
  const others = Array.from({ length: 39 }, (_, i) =>
    own({ id: `${900 - i}`, content: `<p>Good night, ${i}</p>` }),
  );
  const { fetch, calls } = scriptedFetch({ [LIST]: [json([...others, old])] });
  expect(await mastodon.reconcile(job(fetch), at())).toMatchObject({ kind: "absent" });
  expect(calls).toHaveLength(1);
});

test("a post on two pages of the list is one post", async () => {
  const others = Array.from({ length: 39 }, (_, i) =>
    own({ id: `${900 - i}`, content: "<p>No</p>" }),
  );
  const { fetch, calls } = scriptedFetch({
    [LIST]: [json([...others, own()]), json([others[38], own(), old])],
    [SOURCE]: [said("Hello, world")],
  });
  expect(await mastodon.reconcile(job(fetch), at())).toMatchObject(FOUND);
  expect(new URL(calls[1]?.url ?? "").searchParams.get("max_id")).toBe("865");
});

test.each([
  ["as it is written", "<p>Hello, world</p>", "Hello, world", true],
  ["without marks of Markdown", "<p>Hello, w<em>or</em>ld</p>", "Hello, w*or*ld", true],
  [
    "with a shortened link",
    '<p>See <a href="https://a.test/long"><span>a.test/lo…</span></a> now</p>',
    "See https://a.test/long now",
    true,
  ],
  ["with a reference that is not known", "<p>Hello &eacute;</p>", "Hello é", true],
  ["in another form of its characters", "<p>Caf\u00e9</p>", "Cafe\u0301", true],
  ["that is longer", "<p>Hello, world 12</p>", "Hello, world 1", false],
  ["in another order", "<p>world, Hello</p>", "Hello, world", false],
])("a shown text %s", (_, html, text, expected) => {
  expect(mayShow(html, text)).toBe(expected);
});

test.each(["<", "<a ", "&lt;", "@a"])("a megabyte of %s is no text of ours", (part) => {
  expect(mayShow(`b${part.repeat(1_000_000 / part.length)}`, "Hello, world")).toBe(false);
});

test("an address that no page should link to is left out", async () => {
  const url = "javascript:alert(1)";
  const { fetch } = scriptedFetch({ "POST /api/v1/statuses": [json(status({ url, uri: url }))] });
  expect(await mastodon.submit(job(fetch), at())).toMatchObject({ ...FOUND, shareUrl: null });
});

test("every try of a post has its key", async () => {
  const { fetch, calls } = scriptedFetch({
    "POST /api/v1/statuses": [new Response("", { status: 502 }), json(status())],
  });
  const prepared = await mastodon.prepare(job(fetch), null);
  if (prepared.kind !== "ready") throw new Error(prepared.kind);
  await mastodon.submit(job(fetch), prepared.bookmark);
  await mastodon.submit(job(fetch), prepared.bookmark);
  const keys = calls.map(({ headers }) => headers["idempotency-key"]);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(keys).toEqual([keys[0], keys[0]]);
});
