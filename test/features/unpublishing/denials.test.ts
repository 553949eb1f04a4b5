import { describe, expect, test } from "vitest";
import { connectorOf } from "../../../src/platforms/registry.ts";
import { grantDeleting } from "../../support/grant.ts";
import { openStage, type Wrap } from "../../support/stage.ts";

type Name = "facebook" | "threads" | "x";

async function published(platform: Name, words = "", wrap?: Wrap) {
  const stage = await openStage(platform, { person: "Ada" });
  if (platform === "threads") {
    await grantDeleting.threads(stage.member.teamId);
    await stage.connect();
  }
  const { upload } = await stage.publish(
    { title: "", description: `Soon gone ${words}`.trim() },
    wrap,
  );
  expect(upload.status).toBe("completed");
  const { harness, member } = stage;
  const down = (wrap?: Wrap) =>
    stage.watch(
      () => harness.call("POST", `/upload/${upload.id}/unpublish`, { token: member.token }),
      wrap,
    );
  return { stage, upload, down };
}

const isDeletion = ({ request }: { request: Request }) => request.method === "DELETE";

/** Answers the deletion, which takes effect first where `isDone`. */
const denied =
  (body: unknown, isDone = false): Wrap =>
  async (call, answer) => {
    if (!isDeletion(call)) return answer();
    if (isDone) await answer();
    return Response.json(body);
  };

describe.each<[Name, string, unknown[]]>([
  ["facebook", "Facebook", [{ success: false }, false]],
  ["threads", "Threads", [{ success: false }]],
  ["x", "X", [{ data: { deleted: false } }, { errors: [{ detail: "Not yours." }] }]],
])("a 2xx of %s that says no", (platform, name, bodies) => {
  test("leaves the post published, and the next call takes it down", async () => {
    const { stage, down } = await published(platform);
    for (const body of bodies) {
      const { result } = await down(denied(body));
      expect(result).toMatchObject({ status: 503, body: { code: "UNAVAILABLE" } });
      expect(await stage.events()).not.toContain("upload.unpublished");
    }
    expect((await down()).result.body.message).toBe(`The post has been taken down from ${name}.`);
  });

  test("counts as done where the post is gone all the same", async () => {
    const { down } = await published(platform);
    const { result } = await down(denied(bodies[0], true));
    expect(result).toMatchObject({ status: 200 });
    expect(result.body.message).toMatch(/does not have the post any more/);
  });

  test("is what the sandbox answers to [sandbox:not_deleted]", async () => {
    const { stage, down } = await published(platform, "[sandbox:not_deleted]");
    const { result } = await down();
    expect(result).toMatchObject({ status: 503 });
    const { name } = connectorOf(platform);
    expect(result.body.error).toBe(`${name} answered that it did not delete the post. Ask again.`);
    expect(await stage.feed()).toHaveLength(1);
  });
});

const refusal = (code: number, message: string, error_subcode?: number) => ({
  error: { message, code, error_subcode },
});

/** Refuses the deletion and the look at the post. */
const refusedTwice =
  (deletion: object, look: object): Wrap =>
  async (call, answer) => {
    const isLook = /^\/v[\d.]+\/\d+(?:_\d+)?$/.test(call.url.pathname);
    if (!isLook) return answer();
    return Response.json(isDeletion(call) ? deletion : look, { status: 400 });
  };

const HIDDEN = refusal(100, "Unsupported get request. Object with ID '1' does not exist", 33);

test.each<Name>(["facebook", "threads"])(
  "%s refuses access and then hides the post: it does not count as gone",
  async (platform) => {
    const { stage, down } = await published(platform);
    const denial = refusal(10, "(#10) No permission for this action");
    const { result } = await down(refusedTwice(denial, HIDDEN));
    expect(result).toMatchObject({ status: 409, body: { code: "NOT_UNPUBLISHABLE" } });
    expect(result.body.error).toContain("No permission for this action");
    expect(await stage.events()).not.toContain("upload.unpublished");
  },
);

test.each<[Name, object]>([
  ["facebook", refusal(803, "(#803) Some of the aliases you requested do not exist: 1")],
  ["facebook", refusal(100, "(#100) Object with ID '1' does not exist")],
  ["facebook", refusal(100, "(#100) The object could not be loaded")],
  ["threads", refusal(24, "The requested resource does not exist", 4279009)],
])("a post that %s does not know any more counts as taken down", async (platform, answer) => {
  const { down } = await published(platform);
  const { result } = await down(refusedTwice(answer, answer));
  expect(result).toMatchObject({ status: 200 });
  expect(result.body.message).toMatch(/does not have the post any more/);
});

test("a post whose id Threads has not said is not tried", async () => {
  const { stage, upload, down } = await published("threads", "", async (call, answer) => {
    const { pathname } = call.url;
    if (pathname.endsWith("/threads_publish")) {
      await (await answer()).body?.cancel();
      throw new Error("The connection broke.");
    }
    const isList = call.request.method === "GET" && pathname.endsWith("/threads");
    return isList ? Response.json({ data: [] }) : answer();
  });
  expect(upload.metadata).toMatchObject({ videoId: expect.stringMatching(/^container:\d+$/) });
  stage.harness.advance(25 * 3_600);
  const { result, calls } = await down();
  expect(result).toMatchObject({ status: 409, body: { code: "NOT_UNPUBLISHABLE" } });
  expect(result.body.error).toMatch(/Threads has not said which id the post has/);
  expect(calls).toEqual([]);
  expect(await stage.feed()).toHaveLength(1);
});
