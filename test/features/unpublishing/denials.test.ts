import { describe, expect, test } from "vitest";
import { grantDeleting } from "../../support/grant.ts";
import { openStage, type Wrap } from "../../support/stage.ts";

type Name = "facebook" | "threads" | "x";

async function published(platform: Name, words = "") {
  const stage = await openStage(platform, { person: "Ada" });
  if (platform === "threads") {
    await grantDeleting.threads(stage.member.teamId);
    await stage.connect();
  }
  const { upload } = await stage.publish({ title: "", description: `Soon gone ${words}`.trim() });
  expect(upload.status).toBe("completed");
  const { harness, member } = stage;
  const down = (wrap?: Wrap) =>
    stage.watch(
      () => harness.call("POST", `/upload/${upload.id}/unpublish`, { token: member.token }),
      wrap,
    );
  return { stage, down };
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
    expect(result.body.error).toMatch(/did not delete the post/);
    expect(await stage.feed()).toHaveLength(1);
  });
});
