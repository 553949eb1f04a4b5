import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createMember, joinTeam } from "../../support/harness.ts";
import { beginLife } from "../../support/life.ts";
import { Browser } from "../../support/person.ts";
import { openStage } from "../../support/stage.ts";

test("figures of a post that was taken down stay, and no more are read", async () => {
  const stage = await openStage("x");
  const { harness, member, accountId } = stage;
  const { upload } = await stage.publish({ description: "Soon gone" });
  const other = await stage.publish({ description: "Still there" });
  harness.advance(3_600);
  const sync = () =>
    stage.watch(async () => {
      const path = `/analytics/${accountId}/sync`;
      return (await harness.call("POST", path, { token: member.token })).body.data;
    });
  const first = (await sync()).result;
  await harness.call("POST", `/upload/${upload.id}/unpublish`, { token: member.token });
  harness.advance(22 * 3_600);
  const asked: string[] = [];
  const { result } = await stage.watch(
    async () => (await sync()).result,
    async ({ url }, answer) => {
      asked.push(url.search);
      return answer();
    },
  );
  expect(asked.join()).not.toContain(upload.metadata.videoId);
  expect(result.syncErrors).toEqual([]);
  const ids = (data: typeof result) =>
    data.videos.map(({ uploadId }: { uploadId: number }) => uploadId).sort();
  expect(ids(first)).toEqual([upload.id, other.upload.id]);
  expect(ids(result)).toEqual([upload.id, other.upload.id]);
});

test("the page of a post takes it down after a confirmation, and says when", async () => {
  const life = await beginLife(undefined, "bluesky");
  const metadata = JSON.stringify({
    videoId: "at://did/app.bsky.feed.post/3k",
    shareUrl: "https://bsky.app/profile/a/post/3k",
  });
  const id = await life.insert({ status: "completed", metadata });
  const browser = await new Browser(life.harness).signIn(life.member);
  const page = await browser.get(`/app/uploads/${id}`);
  expect(page.html).toContain("Take down…");
  const sent = await browser.post(`/app/uploads/${id}/unpublish`, {});
  expect(sent.status).toBe(303);
  const after = await browser.get(sent.headers.get("location") ?? "");
  expect(after.html).toContain("The post has been taken down.");
  expect(after.html).toContain("Taken down on");
  expect(after.html).not.toContain("Take down…");
  expect((await browser.get("/app/uploads")).html).toContain("Taken down");
});

test("a member sees no button, at an own post neither", async () => {
  const life = await beginLife();
  const { userId } = await createMember();
  await joinTeam(life.member.teamId, userId, "MEMBER");
  const id = await life.insert({ status: "completed", created_by: userId });
  const browser = (await new Browser(life.harness).signIn({ userId })).show(life.member.teamId);
  const page = await browser.get(`/app/uploads/${id}`);
  expect(page.html).toContain(`Post ${id}`);
  expect(page.html).not.toContain("Take down…");
});

test("a page says where Instagram's posts are deleted, and what was begun", async () => {
  const life = await beginLife(undefined, "instagram");
  const id = await life.insert({ status: "completed" });
  const browser = await new Browser(life.harness).signIn(life.member);
  const page = await browser.get(`/app/uploads/${id}`);
  expect(page.html).toContain("Delete the post in the Instagram app.");
  expect(page.html).not.toContain("Take down…");
  const other = await beginLife();
  const begun = await other.insert({ status: "completed", unpublish_started_at: Date.now() });
  const theirs = await new Browser(other.harness).signIn(other.member);
  expect((await theirs.get(`/app/uploads/${begun}`)).html).toContain("Taking down was begun on");
});

test("the capabilities say where posts can be taken down", async () => {
  const life = await beginLife();
  const { body } = await life.call("GET", "/platforms/capabilities");
  const rows = body.data.map(
    (one: { platform: string; canUnpublish: boolean; unpublishPermission: string | null }) => [
      one.platform,
      one.canUnpublish,
      one.unpublishPermission,
    ],
  );
  expect(Object.fromEntries(rows.map(([name, ...rest]: unknown[]) => [name, rest]))).toEqual({
    tiktok: [false, null],
    instagram: [false, null],
    facebook: [true, null],
    youtube: [true, "https://www.googleapis.com/auth/youtube.force-ssl"],
    linkedin: [true, null],
    pinterest: [true, null],
    bluesky: [true, null],
    threads: [true, "threads_delete"],
    x: [true, null],
    telegram: [true, null],
    discord: [true, null],
  });
});

test("the export has the time", async () => {
  const life = await beginLife();
  const id = await life.insert({ status: "completed", unpublished_at: Date.now() });
  const { body } = await life.call("GET", "/export");
  const post = body.find(
    (line: { type?: string; data?: { id?: number } }) =>
      line.type === "upload" && line.data?.id === id,
  );
  expect(JSON.stringify(post)).toContain(`"unpublishedAt":"${new Date().toISOString()}"`);
  expect(await env.DB.prepare("SELECT 1 FROM uploads WHERE id = ?").bind(id).first()).toBeTruthy();
});
