import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { expireFiles } from "../../../src/features/publishing/media-expiry.ts";
import { aroundBatches, delaySecondCall } from "../../support/database.ts";
import { type Fields, type Harness, START } from "../../support/harness.ts";
import { lag } from "../../support/life.ts";
import { loadOf } from "../../support/load.ts";
import { type AccountStage, openAccount } from "../../support/stage.ts";
import { testPng, verticalMp4 } from "../../support/videos.ts";

const ROUNDS = loadOf(4, 20);
const HOUR_MS = 3_600_000;
/** The first tick that finds what ended at `START` to be a day old. */
const A_DAY_LATER = START.getTime() + 24 * HOUR_MS + 17 * 60_000;

let serial = 0;
const newPhoto = () => new Blob([testPng, `api ${++serial}`], { type: "image/png" });

async function post(fixture: AccountStage, fields: Fields): Promise<number> {
  const id = await fixture.post(fields);
  await fixture.harness.drain();
  await fixture.harness.settle();
  return id;
}

/** How many retries found the files when they looked, and had lost them by the time they wrote. */
function countOvertaken(harness: Harness): { retries: number } {
  const overtaken = { retries: 0 };
  aroundBatches(harness, async (run) => {
    const results = await run();
    const [begun] = results;
    if (Array.isArray(begun) && begun.length === 0) overtaken.retries++;
    return results;
  });
  return overtaken;
}

const pathOf = (url: string) => url.slice(new URL(url).origin.length);

beforeEach(async () => {
  await env.DB.exec("DELETE FROM chores");
});

test("a published photo leaves its thumbnail, at the address that lists show", async () => {
  const fixture = await openAccount();
  const { harness, member } = fixture;
  const id = await post(fixture, { photo: [newPhoto(), newPhoto()] });
  const fresh = await fixture.read(id);
  expect(fresh).toMatchObject({ status: "completed", videoUrl: null });
  const original = pathOf(fresh.thumbnailUrl).replace("/thumbnail", "/original");
  expect(original).not.toBe(pathOf(fresh.thumbnailUrl));

  vi.setSystemTime(A_DAY_LATER);
  const before = await fixture.read(id);
  expect((await harness.request(pathOf(before.thumbnailUrl))).status).toBe(200);
  await harness.tick();
  const after = await fixture.read(id);
  expect(after.thumbnailUrl).toBe(before.thumbnailUrl);
  const picture = await harness.request(pathOf(after.thumbnailUrl));
  expect(picture.status).toBe(200);
  expect(picture.headers.get("content-type")).toBe("image/jpeg");
  expect(picture.headers.get("content-security-policy")).toBe(
    "default-src 'none'; media-src 'self'; sandbox",
  );
  expect(picture.headers.get("x-content-type-options")).toBe("nosniff");
  const bytes = new Uint8Array(await picture.arrayBuffer());
  expect([...bytes.subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
  expect(picture.headers.get("content-length")).toBe(String(bytes.length));

  const list = await harness.call("GET", "/upload", { token: member.token });
  expect(list.body.data[0].thumbnailUrl).toBe(after.thumbnailUrl);
});

test("a published video leaves nothing, and its address answers 404", async () => {
  const fixture = await openAccount();
  const { harness } = fixture;
  const id = await post(fixture, { video: new Blob([verticalMp4, String(++serial)]) });
  vi.setSystemTime(A_DAY_LATER - HOUR_MS);
  await harness.tick();
  const before = await fixture.read(id);
  expect(before.status).toBe("completed");
  const address = pathOf(before.videoUrl);
  expect((await harness.request(address)).status).toBe(200);

  vi.setSystemTime(A_DAY_LATER);
  await harness.tick();
  expect(await fixture.read(id)).toMatchObject({ videoUrl: null, thumbnailUrl: null });
  const gone = await harness.request(address);
  expect(gone.status).toBe(404);
  expect(await gone.json()).toMatchObject({ success: false, code: "NOT_FOUND" });
});

test("a failed post leaves neither", async () => {
  const fixture = await openAccount();
  const { harness } = fixture;
  const id = await post(fixture, { status: "draft", photo: newPhoto() });
  await env.DB.prepare(
    `UPDATE uploads SET status = 'failed', status_group = 'failed', failed_at = ?,
      failure_code = 'unknown' WHERE id = ?`,
  )
    .bind(START.getTime(), id)
    .run();
  vi.setSystemTime(A_DAY_LATER);
  const before = await fixture.read(id);
  const thumbnail = pathOf(before.thumbnailUrl);
  expect((await harness.request(thumbnail)).status).toBe(200);
  await harness.tick();
  const after = await fixture.read(id);
  expect(after).toMatchObject({ status: "failed", thumbnailUrl: null, videoUrl: null });
  expect((await harness.request(thumbnail)).status).toBe(404);
});

test("a picture of which no thumbnail can be made leaves none", async () => {
  const fixture = await openAccount();
  const broken = new Blob([testPng.subarray(0, 40), String(++serial)], { type: "image/png" });
  const id = await post(fixture, { status: "draft", photo: broken });
  await env.DB.prepare(
    "UPDATE uploads SET status = 'completed', status_group = 'completed', uploaded_at = ? WHERE id = ?",
  )
    .bind(START.getTime(), id)
    .run();
  vi.setSystemTime(A_DAY_LATER);
  expect((await fixture.read(id)).thumbnailUrl).not.toBeNull();
  await fixture.harness.tick();
  expect((await fixture.read(id)).thumbnailUrl).toBeNull();
});

test("a file that is still to be downloaded stays as it is beside one that is gone", async () => {
  const fixture = await openAccount();
  const id = await post(fixture, { status: "draft", photo: newPhoto() });
  const url = "https://example.com/photo.png";
  await env.DB.prepare(
    `UPDATE uploads SET status = 'failed', status_group = 'failed', failed_at = 0,
      media = json_insert(media, '$[#]', json_object('url', ?)) WHERE id = ?`,
  )
    .bind(url, id)
    .run();
  await expireFiles(fixture.harness.deps, null);
  const media = await env.DB.prepare("SELECT media FROM uploads WHERE id = ?")
    .bind(id)
    .first<string>("media");
  expect(JSON.parse(media ?? "")).toEqual([
    { sha256: expect.any(String), kind: "image", isGone: true },
    { url },
  ]);
});

describe("a retry at the moment the files go", () => {
  const retry = async ({ harness, member }: AccountStage, id: number): Promise<boolean> => {
    const answer = await harness.call("POST", `/upload/${id}/retry`, { token: member.token });
    if (answer.status === 200) return true;
    expect(answer.body).toMatchObject({ code: "MEDIA_EXPIRED" });
    return false;
  };

  test(`at 23:59:59 has all files or is refused, in ${10 * ROUNDS} races`, {
    timeout: 60_000,
  }, async () => {
    const fixture = await openAccount();
    const { harness, member } = fixture;
    const overtaken = countOvertaken(harness);
    const outcomes = { retried: 0, refused: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      const ids = await Promise.all(
        Array.from({ length: 10 }, (_, i) => {
          // Two files each, one of them shared by a pair of posts.
          const shared = new Blob([testPng, `pair ${round} ${i >> 1}`]);
          return post(fixture, { status: "draft", photo: [newPhoto(), shared] });
        }),
      );
      await env.DB.prepare(
        `UPDATE uploads SET status = 'failed', status_group = 'failed', failed_at = ?,
            failure_code = 'unknown' WHERE team_id = ? AND status = 'draft'`,
      )
        .bind(START.getTime(), member.teamId)
        .run();
      const dayOver = START.getTime() + 24 * HOUR_MS;
      const atDayOver = { ...harness.deps, now: () => new Date(dayOver) };
      vi.setSystemTime(dayOver - 1_000);
      // Ten retries come one after the other: some finish before the files are deleted at the full day,
      // some are running at that moment, and the others find the files gone.
      const coming = ids.map((id, i) => lag(i).then(() => retry(fixture, id)));
      const some = Promise.all(coming.slice(0, round % 10));
      const [retried] = await Promise.all([
        Promise.all(coming),
        expireFiles(delaySecondCall(atDayOver, some), `${member.teamId} `),
      ]);
      for (const [i, id] of ids.entries()) {
        const { results: files } = await env.DB.prepare(
          `SELECT m.object_key, u.status, item.value ->> 'isGone' AS is_gone
            FROM uploads u CROSS JOIN json_each(u.media) item
            LEFT JOIN media_uses x ON x.upload_id = u.id AND x.team_id = u.team_id
              AND x.sha256 = item.value ->> 'sha256'
            LEFT JOIN media m ON m.team_id = x.team_id AND m.sha256 = x.sha256 WHERE u.id = ?`,
        )
          .bind(id)
          .run<{ object_key: string | null; status: string; is_gone: number | null }>();
        expect(files).toHaveLength(2);
        for (const { object_key, status, is_gone } of files) {
          expect(status).toBe(retried[i] ? "pending" : "failed");
          expect(is_gone).toBe(retried[i] ? null : 1);
          if (retried[i]) expect(await env.MEDIA.head(object_key ?? "")).not.toBeNull();
          else expect(object_key).toBeNull();
        }
        outcomes[retried[i] ? "retried" : "refused"]++;
      }
      const objects = await env.MEDIA.list({ prefix: `media/${member.teamId}/` });
      const files = await env.DB.prepare("SELECT COUNT(*) AS n FROM media WHERE team_id = ?")
        .bind(member.teamId)
        .first<number>("n");
      expect(objects.objects).toHaveLength(files ?? -1);
      await env.DB.prepare("UPDATE uploads SET deleted_at = 1 WHERE team_id = ?")
        .bind(member.teamId)
        .run();
      await expireFiles(harness.deps, null);
      vi.setSystemTime(START);
    }
    expect(outcomes.retried + outcomes.refused).toBe(10 * ROUNDS);
    expect(Math.min(outcomes.retried, outcomes.refused, overtaken.retries)).toBeGreaterThan(0);
  });

  test("is refused once they are gone, and taken when the same content has come again", async () => {
    const fixture = await openAccount();
    const photo = newPhoto();
    const id = await post(fixture, { status: "draft", photo });
    await env.DB.prepare(
      `UPDATE uploads SET status = 'failed', status_group = 'failed', failed_at = ?,
        failure_code = 'unknown' WHERE id = ?`,
    )
      .bind(START.getTime(), id)
      .run();
    vi.setSystemTime(A_DAY_LATER);
    await expireFiles(fixture.harness.deps, null);
    expect(await retry(fixture, id)).toBe(false);

    const again = await post(fixture, { status: "draft", photo });
    expect(await retry(fixture, id)).toBe(true);
    await fixture.harness.call("DELETE", `/upload/${again}`, { token: fixture.member.token });
    await expireFiles(fixture.harness.deps, null);
    await fixture.harness.drain();
    expect(await fixture.read(id)).toMatchObject({ status: "completed" });
  });
});
