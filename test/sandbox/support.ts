import { env } from "cloudflare:workers";
import type { Fetch } from "../../src/platforms/connector.ts";
import { SANDBOX_SERVICE, sandboxLogin } from "../../src/sandbox/bluesky/identity.ts";
import { createSandboxFetch } from "../../src/sandbox/fetch.ts";
import { theSandbox } from "../../src/sandbox/state.ts";

export const sandbox = () => theSandbox(env.SANDBOX_STATE);

let nextNumber = 1;

/** A number nobody else has: each test makes its own team, account and uploads with it. */
export const unique = (): number => nextNumber++;

export interface Session {
  did: string;
  handle: string;
  accessJwt: string;
  refreshJwt: string;
}

export const xrpc = (nsid: string, origin = SANDBOX_SERVICE) => `${origin}/xrpc/${nsid}`;

export const postJson = (fetch: Fetch, nsid: string, body: unknown, token?: string) =>
  fetch(xrpc(nsid), {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    },
    body: JSON.stringify(body),
  });

const TID_LETTERS = "234567abcdefghijklmnopqrstuvwxyz";

/** A valid record key that no other call of this run gets. */
export function uniqueTid(): string {
  let text = "";
  for (let rest = unique(); text.length < 10; rest = Math.floor(rest / 32)) {
    text = TID_LETTERS.charAt(rest % 32) + text;
  }
  return `3mk${text}`;
}

/** A logged-in sandbox account in a team of its own, and the fetch of one of its uploads. */
export async function connect() {
  const teamId = unique();
  const accountId = `acc_${teamId}`;
  const fetchFor = (uploadId: number | null) =>
    createSandboxFetch(env.SANDBOX_STATE, { teamId, accountId, uploadId });
  const { identifier, appPassword } = sandboxLogin(`Account ${teamId}`);
  const reply = await postJson(fetchFor(null), "com.atproto.server.createSession", {
    identifier,
    password: appPassword,
  });
  const session = await reply.json<Session>();
  return { teamId, accountId, fetchFor, session, fetch: fetchFor(unique()) };
}

export type Connection = Awaited<ReturnType<typeof connect>>;

/** A record as a careful client sends it. */
export const record = (text: string, more: Record<string, unknown> = {}) => ({
  $type: "app.bsky.feed.post",
  text,
  createdAt: "2026-09-18T10:00:00.000Z",
  ...more,
});

export const write = (
  { session, fetch }: Pick<Connection, "session" | "fetch">,
  value: Record<string, unknown>,
  more: Record<string, unknown> = {},
  method: "putRecord" | "createRecord" = "putRecord",
) =>
  postJson(
    fetch,
    `com.atproto.repo.${method}`,
    {
      repo: session.did,
      collection: "app.bsky.feed.post",
      rkey: uniqueTid(),
      record: value,
      ...more,
    },
    session.accessJwt,
  );

/** Starts like a PNG; nothing reads further. */
export function png(sizeBytes = 64, fill = 0): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(sizeBytes).fill(fill);
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return bytes;
}

export interface Blob {
  $type: "blob";
  ref: { $link: string };
  mimeType: string;
  size: number;
}

export const upload = (
  { session, fetch }: Pick<Connection, "session" | "fetch">,
  body: BodyInit,
  headers: Record<string, string> = { "content-type": "image/png" },
) =>
  fetch(xrpc("com.atproto.repo.uploadBlob"), {
    method: "POST",
    headers: { authorization: `Bearer ${session.accessJwt}`, ...headers },
    body,
  });

export async function uploadImage(connection: Connection, bytes = png()): Promise<Blob> {
  const reply = await upload(connection, bytes);
  return (await reply.json<{ blob: Blob }>()).blob;
}

/** The status and the platform's error body. */
export async function readError(reply: Response) {
  const body = await reply.json<{ error?: string; message?: string }>();
  return { status: reply.status, error: body.error, message: body.message };
}

/** Starts like an MP4; nothing reads further. Other bytes follow for another `seed`. */
export function mp4(sizeBytes: number, seed = unique()): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(sizeBytes);
  // A linear congruence: as good as random to a hash, and the same in every run.
  for (let i = 0, value = seed; i < sizeBytes; i++) {
    value = (Math.imul(value, 1_664_525) + 1_013_904_223) | 0;
    bytes[i] = value >>> 24;
  }
  bytes.set(new TextEncoder().encode("\0\0\0\x18ftypmp42"));
  return bytes;
}
