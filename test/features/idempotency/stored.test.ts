import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { sha256Hex } from "../../../src/core/signature.ts";
import { type Fields, form } from "../../support/harness.ts";
import { beginLife } from "../../support/life.ts";

const PHOTO = "https://example.com/a.jpg";
const FILM = "https://example.com/a.mp4";

/** Stored answers outlive a release. When this test fails, calls repeated across the release run twice. */
test("names and fingerprints of calls are those of the release before", async () => {
  const { harness, member, accountId, insert } = await beginLife();
  const { token, teamId } = member;
  const send = async (path: string, sent: { json?: unknown; fields?: Fields }) => {
    const { json, fields } = sent;
    const headers = { "idempotency-key": path };
    const body = fields && { body: form(fields) };
    const answer = await harness.call("POST", path, { token, headers, ...(body ?? { json }) });
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 });
    return answer.body;
  };
  const made = await harness.call("POST", "/pools", {
    token,
    json: { name: "Tips", timezone: "UTC" },
  });
  const pool = made.body.pool.id;
  const failed = await insert({ status: "failed" });
  const url = "https://example.com/hook";
  const events = ["upload.completed"];

  await send("/webhooks", { json: { url, events } });
  await send("/short-links", { json: { url } });
  const files = [{ name: "a.png", size: 5, type: "image/png" }];
  await send("/upload/presign", { json: { route: "thumbnails", files } });
  await send("/upload", { fields: { accountId, description: "One" } });
  await send("/upload/bulk", {
    fields: { accounts: JSON.stringify([accountId]), description: "Many" },
  });
  await send(`/upload/${failed}/retry`, { json: { force: true } });
  await send(`/pools/${pool}/videos`, { fields: { title: "A tip", photo: PHOTO } });
  await send(`/pools/${pool}/videos/bulk`, {
    json: { items: [{ title: "A film", videoUrl: FILM }] },
  });

  const post = (description: string) => [
    ["accountIds", [accountId]],
    ["caption", null],
    ["description", description],
    ["media", []],
    ["overrides", {}],
    ["refused", { targets: [], fields: [] }],
    ["scheduledFor", null],
    ["settings", []],
    ["status", null],
    ["title", null],
  ];
  const kept: [route: string, written: unknown][] = [
    ["POST /webhooks", [url, events, null]],
    ["POST /short-links", { url }],
    ["POST /upload/presign", ["thumbnails", [{ name: "a.png", sizeBytes: 5, mime: "image/png" }]]],
    ["POST /upload", post("One")],
    ["POST /upload/bulk", post("Many")],
    ["POST /upload/{id}/retry", { id: failed, force: true }],
    [`POST /pools/${pool}/videos`, [["A tip", null, null, [["photo", [PHOTO]]]]]],
    [`POST /pools/${pool}/videos/bulk`, [["A film", null, null, [["video", [FILM]]]]]],
  ];
  const expected = await Promise.all(
    kept.map(async ([route, written]) => [route, await sha256Hex(JSON.stringify(written))]),
  );
  const { results } = await env.DB.prepare(
    "SELECT route, fingerprint FROM idempotency WHERE team_id = ?",
  )
    .bind(teamId)
    .all<{ route: string; fingerprint: string }>();
  const byRoute = (rows: string[][]) => rows.toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1));
  expect(byRoute(results.map(({ route, fingerprint }) => [route, fingerprint]))).toEqual(
    byRoute(expected as string[][]),
  );
});
