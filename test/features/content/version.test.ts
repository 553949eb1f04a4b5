import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { contentHash } from "../../../src/features/content/version.ts";
import type { MediaRef } from "../../../src/features/posts/table.ts";
import { connectorOf } from "../../../src/platforms/registry.ts";
import { beginLife, type Life } from "../../support/life.ts";
import { testJpeg, testPng } from "../../support/videos.ts";

const FILES: Record<string, Uint8Array<ArrayBuffer>> = {
  "https://files.example.com/a.png": testPng,
  "https://files.example.com/b.jpg": testJpeg,
};
const MEDIA: MediaRef[] = Object.keys(FILES).map((url) => ({ url }));

async function insertApproved(life: Life, media = MEDIA): Promise<number> {
  const { accountId } = life;
  const settings = connectorOf("bluesky").settings.read({}).values as Record<string, unknown>;
  const content = { accountId, title: null, description: "Approved", settings, media, parts: null };
  return life.insert({
    title: null,
    description: "Approved",
    media: JSON.stringify(media),
    approved_hash: await contentHash(content),
  });
}

/** The second file answers 503 at first, so that the job is taken up again with one file downloaded. */
function scriptFiles(life: Life): void {
  let asked = 0;
  life.harness.network = async (input) => {
    const { url } = new Request(input);
    if (url.endsWith("b.jpg") && asked++ === 0) return new Response("Later", { status: 503 });
    return new Response(FILES[url] ?? "", { status: url in FILES ? 200 : 404 });
  };
}

test("an approved post with URLs goes out, although its files are downloaded in between", async () => {
  const life = await beginLife();
  scriptFiles(life);
  const id = await insertApproved(life);
  await life.harness.consume([{ kind: "publish", uploadId: id }]);
  const downloaded = JSON.parse((await life.row(id)).media);
  expect(downloaded).toMatchObject([{ sha256: expect.any(String) }, { url: expect.any(String) }]);
  await life.harness.drain();
  expect(await life.row(id)).toMatchObject({ status: "completed" });
});

test("another URL in the place of the approved one is held", async () => {
  const life = await beginLife();
  scriptFiles(life);
  const id = await insertApproved(life);
  await env.DB.prepare("UPDATE uploads SET media = ? WHERE id = ?")
    .bind(JSON.stringify([{ url: "https://files.example.com/c.png" }, MEDIA[1]]), id)
    .run();
  await life.harness.consume([{ kind: "publish", uploadId: id }]);
  expect(await life.row(id)).toMatchObject({ status: "pending_approval" });
});

test("the same URL posted again is a duplicate of the file that was downloaded from it", async () => {
  const life = await beginLife();
  scriptFiles(life);
  const { harness, member, accountId } = life;
  const post = () => {
    const body = new FormData();
    body.append("accountId", accountId);
    body.append("description", "Look at this");
    body.append("photo", "https://files.example.com/a.png");
    return harness.call("POST", "/upload", { token: member.token, body });
  };
  expect((await post()).status).toBe(200);
  await harness.drain();
  expect(await post()).toMatchObject({
    status: 400,
    body: { violations: [{ type: "duplicate_content" }] },
  });
});
