import { env } from "cloudflare:workers";
import type { Harness } from "./harness.ts";

/** Secrets that were planted, by what each is. */
export type Canaries = Record<string, string>;

/** Forms in which a secret could be written down, each as it would stand in a text. */
function formsOf(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  // The encoded text depends on the bytes before it; what lies within does not.
  const base64 = [0, 1, 2].map((shift) =>
    btoa(`${" ".repeat(shift)}${secret}`).slice(shift === 0 ? 0 : 4, -4),
  );
  return [secret, bytes.toHex(), encodeURIComponent(secret), ...base64];
}

/** The canaries that stand in a text. */
export function canariesIn(canaries: Canaries, text: string): string[] {
  const lower = text.toLowerCase();
  return Object.entries(canaries).flatMap(([what, secret]) =>
    formsOf(secret).some((form) => text.includes(form) || lower.includes(form.toLowerCase()))
      ? [what]
      : [],
  );
}

/** Reads every row of every table as a text, by the name of the table. */
export async function readDatabase(): Promise<[table: string, text: string][]> {
  const { results: tables } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
  ).all<{ name: string }>();
  return Promise.all(
    tables.map(async ({ name }): Promise<[string, string]> => {
      const rows = await env.DB.prepare(`SELECT * FROM "${name}"`).raw();
      return [name, rows.flat().map(toText).join("\n")];
    }),
  );
}

/** Bytes as Latin letters, one each. */
const toText = (value: unknown): string =>
  Array.isArray(value) || value instanceof ArrayBuffer
    ? new TextDecoder("latin1").decode(new Uint8Array(value as ArrayBuffer))
    : String(value);

/** Reads the keys, the metadata and the bytes of all objects. */
export async function readBucket(bucket: R2Bucket = env.MEDIA): Promise<string> {
  const { objects } = await bucket.list({ include: ["customMetadata", "httpMetadata"] });
  const texts = objects.map(async ({ key, customMetadata, httpMetadata }) => {
    const object = await bucket.get(key);
    const bytes = new TextDecoder("latin1").decode(await object?.arrayBuffer());
    return JSON.stringify([key, customMetadata, httpMetadata]) + bytes;
  });
  return (await Promise.all(texts)).join("\n");
}

/** Everything that leaves the service from now on: answers with the call before them, and messages of the queues. */
export function recordOutput(harness: Harness) {
  const answers: [call: string, text: string][] = [];
  const messages: string[] = [];
  const request = harness.request.bind(harness);
  harness.request = async (path, init) => {
    const response = await request(path, init);
    const headers = JSON.stringify([...response.headers]);
    answers.push([`${init?.method ?? "GET"} ${path}`, headers + (await response.clone().text())]);
    return response;
  };
  for (const queue of [
    harness.sent,
    harness.sentDeliveries,
    harness.sentNotices,
    harness.sentCollections,
  ] as object[][]) {
    const push = queue.push.bind(queue);
    queue.push = (...sent) => {
      messages.push(JSON.stringify(sent));
      return push(...sent);
    };
  }
  return { answers, messages };
}
