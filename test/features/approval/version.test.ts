import { beforeEach, describe, expect, test } from "vitest";
import { callTool } from "../../support/agent.ts";
import { form } from "../../support/harness.ts";
import { beginLife, type Columns, type Life, later } from "../../support/life.ts";
import { Browser } from "../../support/person.ts";

const DAY = 86_400;
let life: Life;
/** Tokens of people and programs who may edit a post and not approve it. */
let member: string;
let writer: string;
beforeEach(async () => {
  life = await beginLife();
  member = await life.colleague("MEMBER");
  writer = await life.colleague("OWNER", ["posts:write", "posts:read"]);
});

const held = (columns: Columns = {}): Columns => ({ status: "pending_approval", ...columns });
const get = async (id: number) => (await life.call("GET", `/upload/${id}`)).body.data;
const edit = async (id: number, json: unknown, token: string) => {
  const edited = await life.call("PATCH", `/upload/${id}`, json, token);
  expect(edited.status).toBe(200);
  return edited.body.data;
};
const approve = (id: number, json?: unknown) => life.call("POST", `/upload/${id}/approve`, json);
const sendBack = (id: number, json: object = {}) =>
  life.call("POST", `/upload/${id}/request-changes`, { comment: "Shorter", ...json });
const withTag = (id: number, action: string, tag: string, json?: unknown) =>
  life.harness.call("POST", `/upload/${id}/${action}`, {
    token: life.member.token,
    headers: { "if-match": tag },
    ...(json === undefined ? {} : { json }),
  });
const statusOf = async (id: number) => (await life.row(id)).status;

describe("a post's version", () => {
  test("is the same wherever the post is read, and the ETag of the post itself", async () => {
    const id = await life.insert(held());
    const answer = await life.call("GET", `/upload/${id}`);
    const { version } = answer.body.data;
    expect(version).toMatch(/^[0-9a-f]{64}-[0-9a-f]{20}$/);
    expect(answer.headers.get("etag")).toBe(`"${version}"`);
    expect((await life.call("GET", "/upload")).body.data[0].version).toBe(version);
    for (const [name, args] of [
      ["get_post_status", { postId: id }],
      ["list_recent_posts", {}],
    ] as const) {
      const { structuredContent } = await callTool(life.harness, life.member.token, name, args);
      expect((structuredContent.posts?.[0] ?? structuredContent).version).toBe(version);
    }
  });

  test("changes with texts and date, and is that of the answer to the edit", async () => {
    const id = await life.insert(held());
    const versions = [(await get(id)).version];
    for (const json of [{ title: "A" }, { description: "B" }, { scheduledFor: later(DAY) }]) {
      const { version } = await edit(id, json, member);
      expect((await get(id)).version).toBe(version);
      expect(versions).not.toContain(version);
      versions.push(version);
    }
    await edit(id, { title: "A" }, member);
    expect((await get(id)).version).toBe(versions.at(-1));
  });

  test("stands in the answer and the event of a decision", async () => {
    const [one = 0, other = 0] = await life.insertMany([held({ title: "One" }), held()]);
    const versions: string[] = [(await get(one)).version, (await get(other)).version];
    expect(versions).toEqual([expect.any(String), expect.any(String)]);
    expect((await approve(one)).body.data.version).toBe(versions[0]);
    expect((await sendBack(other)).body.data.version).toBe(versions[1]);
    const submitted = await life.call("POST", `/upload/${other}/submit`);
    expect(submitted.body.data.version).toBe(versions[1]);
    expect((await life.events()).map(({ name, data }) => [name, data.version])).toEqual([
      ["upload.approved", versions[0]],
      ["upload.changes_requested", versions[1]],
    ]);
  });
});

describe("a decision that names a version", () => {
  test.each(["approve", "request-changes", "submit"])(
    "is made on that version alone, by If-Match or in the body: %s",
    async (action) => {
      const status = action === "submit" ? "draft" : "pending_approval";
      const json = action === "request-changes" ? { comment: "Shorter" } : {};
      const [one = 0, other = 0] = await life.insertMany([
        { status, description: "One" },
        { status, description: "Other" },
      ]);
      const [read, readOther] = [await get(one), await get(other)];
      await edit(one, { description: "Else" }, member);
      for (const refused of [
        await life.call("POST", `/upload/${one}/${action}`, { ...json, version: read.version }),
        await withTag(one, action, `"${read.version}"`, json),
      ]) {
        expect(refused).toMatchObject({
          ...{ status: 409, body: { code: "POST_CHANGED", changed: ["description"] } },
        });
        expect(refused.body.error).toContain("description");
      }
      expect(await statusOf(one)).toBe(status);
      const { version } = await get(one);
      expect(await withTag(one, action, `"${version}"`, json)).toMatchObject({ status: 200 });
      const named = { ...json, version: readOther.version };
      const done = await withTag(other, action, `"${readOther.version}"`, named);
      expect(done).toMatchObject({ status: 200 });
    },
  );

  test("says everything that changed since", async () => {
    const id = await life.insert(held());
    const { version } = await get(id);
    await edit(id, { title: "A", scheduledFor: later(DAY) }, member);
    expect((await approve(id, { version })).body.changed).toEqual(["title", "scheduledFor"]);
  });

  test("names thread and first comment, and not the description, when they alone changed", async () => {
    const id = await life.insert(held({ description: "One" }));
    const { version } = await get(id);
    await edit(id, { thread: ["Two"] }, member);
    expect((await approve(id)).body).toMatchObject({
      code: "VERSION_REQUIRED",
      changed: ["thread"],
    });
    expect((await approve(id, { version })).body.changed).toEqual(["thread"]);
    const { version: second } = await get(id);
    await edit(id, { first_comment: "Hi" }, member);
    expect((await approve(id, { version: second })).body.changed).toEqual(["first_comment"]);
    expect((await approve(id)).body.changed).toEqual(["thread", "first_comment"]);
    expect((await approve(id, { version: (await get(id)).version })).status).toBe(200);
  });

  test("is refused (400) where header and body name two, or the header names none", async () => {
    const id = await life.insert(held());
    const { version } = await get(id);
    const other = `${"0".repeat(64)}-${"0".repeat(20)}`;
    for (const answer of [
      await withTag(id, "approve", `"${other}"`, { version }),
      await withTag(id, "approve", `W/"${version}"`),
      await approve(id, { version: "" }),
      await approve(id, { version: 7 }),
      await approve(id, { versions: version }),
    ]) {
      expect(answer.status).toBe(400);
      expect(await statusOf(id)).toBe("pending_approval");
    }
    expect(await approve(id, { version: other })).toMatchObject({
      ...{ status: 409, body: { code: "POST_CHANGED" } },
    });
    expect(await withTag(id, "approve", "*")).toMatchObject({ status: 200 });
  });

  test("is refused on a submitted post too, which a submission would leave as it is", async () => {
    const id = await life.insert(held());
    const { version } = await get(id);
    await edit(id, { title: "Else" }, member);
    const answer = await life.call("POST", `/upload/${id}/submit`, { version });
    expect(answer).toMatchObject({ status: 409, body: { code: "POST_CHANGED" } });
  });
});

describe("a decision that names no version", () => {
  const EDITS: [string, () => object, string[]][] = [
    ["the text", () => ({ description: "Else" }), ["description"]],
    ["the title", () => ({ title: "Else" }), ["title"]],
    ["the date", () => ({ scheduledFor: later(DAY) }), ["scheduledFor"]],
    ["all of it", () => ({ title: "A", description: "B" }), ["title", "description"]],
  ];
  test.each(EDITS)(
    "is refused after somebody who may not approve changed %s",
    async (_, toEdit, changed) => {
      const json = toEdit();
      for (const [status, token] of [
        ["pending_approval", member],
        ["pending_approval", writer],
        ["draft", member],
      ] as const) {
        const id = await life.insert({ status, title: `Old ${status}` });
        await edit(id, json, token);
        const refused = await approve(id);
        expect(refused).toMatchObject({ status: 409, body: { code: "VERSION_REQUIRED", changed } });
        for (const field of changed) expect(refused.body.error).toContain(field);
        expect(refused.body.version).toBeUndefined();
        if (status === "pending_approval") {
          const answer = await sendBack(id);
          expect(answer).toMatchObject({ status: 409, body: { code: "VERSION_REQUIRED" } });
        }
        expect(await statusOf(id)).toBe(status);
        await life.call("DELETE", `/upload/${id}`);
      }
      const id = await life.insert(held());
      await edit(id, json, member);
      const { version } = await get(id);
      expect((await approve(id, { version })).status).toBe(200);
    },
  );

  test("is refused though the edits after it came one by one, and names them all", async () => {
    const id = await life.insert(held());
    for (const json of [{ title: "A" }, { description: "B" }, { title: "C" }]) {
      await edit(id, json, member);
    }
    expect((await approve(id)).body.changed).toEqual(["title", "description"]);
  });

  test("is made after an edit by somebody who may approve, a submission, or a comment", async () => {
    const admin = await life.colleague("ADMIN");
    const [edited = 0, submitted = 0, returned = 0, resubmitted = 0] = await life.insertMany([
      held({ title: "One" }),
      { status: "draft", title: "Two" },
      held({ title: "Three" }),
      held({ title: "Four" }),
    ]);
    for (const id of [edited, submitted, returned, resubmitted]) {
      await edit(id, { description: `By a member ${id}` }, member);
    }
    await edit(edited, { description: "By an admin" }, admin);
    await life.call("POST", `/upload/${submitted}/submit`, undefined, member);
    const { version } = await get(returned);
    expect((await sendBack(returned, { version })).status).toBe(200);
    for (const id of [edited, submitted, returned]) {
      expect((await approve(id)).status, `post ${id}`).toBe(200);
    }
    // Submitting what is submitted already is no reading of it.
    await life.call("POST", `/upload/${resubmitted}/submit`, undefined, member);
    expect((await approve(resubmitted)).body.code).toBe("VERSION_REQUIRED");
  });

  test("is refused on the page of a post too, whose own form names the version that it shows", async () => {
    const id = await life.insert(held());
    await edit(id, { description: "Else" }, member);
    const browser = await new Browser(life.harness).signIn(life.member);
    const page = await browser.get(`/app/uploads/${id}`);
    const { version } = await get(id);
    expect(page.html).toContain(`/app/uploads/${id}/approve?seen=${version}`);
    const refused = await browser.post(`/app/uploads/${id}/approve`, {});
    expect(refused.status).toBe(409);
    expect(refused.html).toContain("was edited after it was submitted");
    expect(await statusOf(id)).toBe("pending_approval");
    const done = await browser.post(`/app/uploads/${id}/approve?seen=${version}`, {});
    expect(done.status).toBe(303);
  });
});

test("a new post of a member who needs approval is approved without a version until it is edited", async () => {
  await life.call("PATCH", "/settings", { requireMemberApproval: true });
  const create = async (description: string) => {
    const body = form({ accountId: life.accountId, description });
    const made = await life.harness.call("POST", "/upload", { token: member, body });
    expect(made.body.data.status).toBe("pending_approval");
    return made.body.data.uploadId as number;
  };
  const [one, other] = [await create("As it was read"), await create("A second text")];
  await edit(other, { description: "Not what was read" }, member);
  expect((await approve(one)).status).toBe(200);
  expect((await approve(other)).body.code).toBe("VERSION_REQUIRED");
});
