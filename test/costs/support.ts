import { env } from "cloudflare:workers";
import type { Harness, Member } from "../support/harness.ts";
import type { Costs } from "../support/meter.ts";

/** Runs statements as one batch. */
export async function store(statements: string[]): Promise<void> {
  await env.DB.batch(statements.map((sql) => env.DB.prepare(sql)));
}

const SERVICE = "https://pds.example.com";
const DID = "did:plc:ewvi7nxzyoun6zhxrhs64oiz";

/** What an account's own server answers to everything that a post needs. */
const ANSWERS: Record<string, object> = {
  "com.atproto.server.getSession": { did: DID, handle: "ada.example.com", active: true },
  "com.atproto.repo.uploadBlob": {
    blob: { $type: "blob", ref: { $link: "bafkreib" }, mimeType: "image/png", size: 68 },
  },
  "com.atproto.repo.putRecord": { uri: `at://${DID}/app.bsky.feed.post/3l`, cid: "bafyreib" },
};

export const SUBMIT = "POST /xrpc/com.atproto.repo.putRecord";
export const UPLOAD_BLOB = "POST /xrpc/com.atproto.repo.uploadBlob";

/** Connects an account whose login lasts, at a server that takes everything; its id. */
export async function connectLive(harness: Harness, member: Member): Promise<string> {
  harness.network = async (input) => {
    const { pathname } = new URL(new Request(input).url);
    const answer = ANSWERS[pathname.replace("/xrpc/", "")];
    return answer ? Response.json(answer) : Response.json({ error: "Unscripted" }, { status: 501 });
  };
  const answer = await harness.call("POST", "/accounts", {
    token: member.token,
    json: { platform: "bluesky", service: SERVICE, credentials: { accessToken: "fresh" } },
  });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body.data.id;
}

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let photos = 0;

/** A PNG of one pixel with something behind it; no two are the same file. */
export function photo(sizeBytes = 100): Blob {
  const pixel = Uint8Array.from(atob(PIXEL), (character) => character.charCodeAt(0));
  const rest = new Uint8Array(Math.max(0, sizeBytes - pixel.length));
  return new Blob([pixel, rest, `number ${++photos}`], { type: "image/png" });
}

/** Costs without the statements, to be compared as a whole. */
export const summary = ({ roundTrips, ...costs }: Costs) => ({
  ...costs,
  roundTrips: roundTrips.length,
});
