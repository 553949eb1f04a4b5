import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import {
  connectSandbox,
  createMember,
  createToken,
  type Fields,
  form,
  Harness,
  type Member,
} from "../../support/harness.ts";
import { measure } from "../../support/meter.ts";

let harness: Harness;
let member: Member;
let accountId: string;

beforeEach(async () => {
  harness = new Harness();
  member = await createMember();
  accountId = await connectSandbox(harness, member);
});

const call = (method: string, path: string, json?: unknown) =>
  harness.call(method, path, { token: member.token, ...(json === undefined ? {} : { json }) });

const post = (fields: Fields, path = "/upload") =>
  harness.call("POST", path, { token: member.token, body: form(fields) });

const save = (name: string, text: string, kind = "text") =>
  call("PUT", `/blocks/${name}`, { text, kind });

const read = async (id: number) => (await call("GET", `/upload/${id}`)).body.data;

test("a block is made, replaced, listed and deleted", async () => {
  expect((await save("hello", "Hello")).body.data).toMatchObject({ name: "hello", text: "Hello" });
  await save("hello", "Good day");
  const list = await call("GET", "/blocks");
  expect(list.body.data).toMatchObject([{ name: "hello", kind: "text", text: "Good day" }]);
  expect((await call("DELETE", "/blocks/hello")).status).toBe(200);
  expect((await call("DELETE", "/blocks/hello")).status).toBe(404);
  expect((await save("Not A Name", "x")).status).toBe(400);
  expect((await save("empty", "")).status).toBe(400);
});

test("a post has the text of its blocks, in its thread and first comment too", async () => {
  await save("signature", 'Ada, "the first", on {platform}');
  const answer = await post({
    accountId,
    description: "Hello\n{block:signature}",
    thread: JSON.stringify(["Second {block:signature}", { text: "Third" }]),
  });
  const upload = await read(answer.body.data.uploadId);
  expect(upload.description).toBe('Hello\nAda, "the first", on bluesky');
  expect(upload.parts[0].text).toBe('Second Ada, "the first", on bluesky');
  const refused = await post({ accountId, description: "{block:absent}" });
  expect(refused.status).toBe(400);
  expect(refused.body.errors).toEqual([
    { field: "description", message: 'description: there is no block named "absent".' },
  ]);
});

test("each account of a batch gets its own values, and the dry run says what is missing", async () => {
  await save("from", "From {platform}: {what}");
  const threads = await connectSandbox(harness, member, "Eve", "threads");
  const accounts = JSON.stringify([accountId, threads]);
  const validated = await post({ accounts, caption: "{block:from}" }, "/upload/validate");
  expect(validated.body.errors).toHaveLength(2);
  const { results } = (await post({ accounts, caption: "{block:from|what=news}" }, "/upload/bulk"))
    .body;
  expect((await read(results[0].uploadId)).description).toBe("From bluesky: news");
  expect((await read(results[1].uploadId)).title).toBe("From threads: news");
});

test("an edit puts blocks in too", async () => {
  await save("signature", "Ada");
  const { uploadId } = (await post({ accountId, description: "Hello", status: "draft" })).body.data;
  await call("PATCH", `/upload/${uploadId}`, { description: "Bye {block:signature}" });
  expect((await read(uploadId)).description).toBe("Bye Ada");
  const refused = await call("PATCH", `/upload/${uploadId}`, { description: "{block:none}" });
  expect(refused.status).toBe(400);
});

test("a sheet's rows name blocks", async () => {
  await save("signature", "Ada");
  const csv = `account,description\n${accountId},Hello {block:signature}\n${accountId},Bye {block:none}\n`;
  const { rows } = (
    await post({ file: new File([csv], "a.csv"), dryRun: "false" }, "/upload/import")
  ).body;
  expect((await read(rows[0].uploadId)).description).toBe("Hello Ada");
  expect(rows[1].errors[0].message).toContain("there is no block");
});

test("only a post that names a block pays for it", async () => {
  await save("signature", "Ada");
  const plain = await measure(harness, () => post({ accountId, description: "Hello there" }));
  const filled = await measure(harness, () =>
    post({ accountId, description: "Something else, {block:signature}" }),
  );
  expect(filled.costs.roundTrips.length).toBe(plain.costs.roundTrips.length + 1);
});

test("blocks of another team are not found", async () => {
  await save("signature", "Ada");
  const other = await createMember();
  const otherAccount = await connectSandbox(harness, other);
  const answer = await harness.call("POST", "/upload", {
    token: other.token,
    body: form({ accountId: otherAccount, description: "{block:signature}" }),
  });
  expect(answer.status).toBe(400);
});

test("a post waits for approval when a block of it was saved by one who may not publish", async () => {
  await save("signature", "Ada");
  const token = await createToken(member.userId, { scopes: ["posts:write"] });
  await harness.call("PUT", "/blocks/signature", { token, json: { text: "Eve" } });
  const held = await post({ accountId, description: "Hello {block:signature}" });
  expect(held.body.data.status).toBe("pending_approval");
  await save("signature", "Ada");
  const open = await post({ accountId, description: "Good day {block:signature}" });
  expect(open.body.data.status).toBe("pending");
});

test("an edit with such a block leaves a planned post to be approved", async () => {
  const schedule_date = new Date(Date.now() + 5 * 3_600_000).toISOString();
  const { body } = await post({ accountId, description: "Hello", schedule_date });
  const { uploadId } = body.data;
  expect((await read(uploadId)).status).toBe("scheduled");
  const token = await createToken(member.userId, { scopes: ["posts:write"] });
  await harness.call("PUT", "/blocks/signature", { token, json: { text: "Eve" } });
  await call("PATCH", `/upload/${uploadId}`, { description: "Hello {block:signature}" });
  expect(await read(uploadId)).toMatchObject({
    status: "pending_approval",
    description: "Hello Eve",
  });
});

test.each([
  ["no parameters", "hello world"],
  ["a parameter without a value's sign", "utm_source"],
  ["a space", "utm_source=a b"],
])("a block of the kind utm is refused with %s", async (_, text) => {
  const answer = await save("spring", text, "utm");
  expect(answer.status).toBe(400);
  expect(answer.body.errors).toMatchObject([{ field: "text" }]);
});

test("a setting names blocks too", async () => {
  await save("utm", "utm_source={platform}", "utm");
  const page = await connectSandbox(harness, member, "Page", "facebook");
  const answer = await post({
    accountId: page,
    description: "Read this",
    link: "{block:utm|https://example.com/a}",
  });
  const settings = await env.DB.prepare("SELECT settings FROM uploads WHERE id = ?")
    .bind(answer.body.data.uploadId)
    .first<string>("settings");
  expect(settings).toContain("https://example.com/a?utm_source=facebook");
  const refused = await post({ accountId: page, description: "Read it", link: "{block:none}" });
  expect(refused.body.errors[0]).toMatchObject({ field: "link" });
});
