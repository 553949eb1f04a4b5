import { beforeEach, expect, test } from "vitest";
import { setTeamPlan } from "../../../src/features/plans/repo.ts";
import { connectMeasured } from "../../platforms/measured.ts";
import { connectSandbox, createMember, form, Harness, type Member } from "../../support/harness.ts";
import { photo } from "../../support/stage.ts";

let harness: Harness;
let owner: Member;

beforeEach(async () => {
  harness = new Harness();
  owner = await createMember();
});

const POST = "urn:li:share:7123456789012345678";

const read = (id: string, postId = POST, token = owner.token) =>
  harness.call("GET", `/analytics/${id}/linkedin/comments?postId=${encodeURIComponent(postId)}`, {
    token,
  });

const connectPage = () => connectMeasured(harness, owner, "linkedin");

test("the comments on a page's own post are read, the page's own under its name", async () => {
  const accountId = await connectPage();
  const body = form({ accountId, description: "Hello", photo: photo() });
  await harness.call("POST", "/upload", { token: owner.token, body });
  await harness.drain();
  harness.advance(300 * 24 * 3_600);
  const synced = await harness.call("POST", `/analytics/${accountId}/sync`, { token: owner.token });
  const [post] = synced.body.data.videos;
  const { status, body: answer } = await read(accountId, post.id);
  expect(status).toBe(200);
  expect(answer.data.comments).toHaveLength(post.comments);
  for (const comment of answer.data.comments) {
    expect(comment).toEqual({
      author: expect.stringMatching(/^urn:li:person:|^Ada/),
      text: expect.stringMatching(/./),
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  }
});

test("a post that nobody has commented on has none", async () => {
  const { status, body } = await read(await connectPage());
  expect([status, body.data]).toEqual([200, { comments: [] }]);
});

test.each(["bluesky", "facebook", "x", "linkedin"])(
  "an account of %s that is no LinkedIn page gets 400",
  async (platform) => {
    const { status, body } = await read(await connectSandbox(harness, owner, "Ada", platform));
    expect([status, body.errors[0].field]).toEqual([400, "connectedAccountId"]);
  },
);

test("refuses what is no post, accounts of others, and a plan without analytics", async () => {
  const id = await connectPage();
  for (const odd of ["", "7123", "urn:li:person:1", "urn:li:share:1/../../me"]) {
    expect((await read(id, odd)).status).toBe(400);
  }
  expect((await harness.call("GET", `/analytics/${id}/linkedin/comments`, owner)).status).toBe(400);
  expect((await read(id, POST, (await createMember()).token)).status).toBe(403);
  await harness.deps.db.runAll(setTeamPlan(harness.deps, { teamId: owner.teamId, plan: "basic" }));
  expect((await read(id)).status).toBe(403);
});
