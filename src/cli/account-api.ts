import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { findAccountId } from "./cloud.ts";
import { type Row, toProblem } from "./d1.ts";
import { parseJson } from "./json.ts";
import { Problem } from "./program.ts";
import {
  describeNetworkError,
  isTemporaryStatus,
  readRetryAfter,
  retrying,
  TemporaryProblem,
} from "./retry.ts";
import { requireWrangler } from "./wrangler.ts";

/**
 * The account's API. A command of wrangler takes a second to start, which is too long for the thousand calls of a backup
 * or a restore.
 */
export interface AccountApi {
  /**
   * Runs the statements in one transaction.
   *
   * @throws Problem with the database's own message
   */
  query(statements: readonly string[]): Promise<Row[][]>;
  /** Null for an object that is not there. */
  getObject(key: string): Promise<Uint8Array<ArrayBuffer> | null>;
  putObject(key: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  deleteObject(key: string): Promise<void>;
  databaseBytes(): Promise<number>;
}

/** There is no bucket, or the login may not use it. */
export class NoStorage extends Problem {}

const config = z.object({
  account_id: z.string().optional(),
  d1_databases: z.tuple([z.object({ database_id: z.string() })]),
  r2_buckets: z.tuple([z.object({ bucket_name: z.string() })]),
});
const login = z.union([
  z.object({ token: z.string() }),
  z.object({ key: z.string(), email: z.string() }),
]);
const envelope = z.object({ errors: z.array(z.object({ message: z.string() })).default([]) });
const value = z.union([z.string(), z.number(), z.null()]);
const rows = z.object({
  result: z.array(z.object({ results: z.array(z.record(z.string(), value)) })),
});
const described = z.object({ result: z.object({ file_size: z.number() }) });

const DEFAULT_ORIGIN = "https://api.cloudflare.com/client/v4";

/** @param configPath the configuration of the last deployment */
export async function openAccount(configPath: string): Promise<AccountApi> {
  const {
    account_id,
    d1_databases: [{ database_id }],
    r2_buckets: [{ bucket_name }],
  } = config.parse(JSON.parse(await readFile(configPath, "utf8")));
  const account = account_id ?? (await findAccountId());
  if (!account) {
    throw new Problem("Your login covers several accounts. Say which: set CLOUDFLARE_ACCOUNT_ID.");
  }
  const origin = process.env.CLOUDFLARE_API_BASE_URL || DEFAULT_ORIGIN;
  const path = `${origin}/accounts/${account}`;
  const call = createCall(await readLogin());
  const toObject = (key: string) => `${path}/r2/buckets/${bucket_name}/objects/${key}`;
  return {
    query: async (statements) => {
      const body = JSON.stringify({ sql: statements.join(";\n") });
      const answer = await call("POST", `${path}/d1/database/${database_id}/query`, {
        body,
        isSafeToRepeat: statements.every((one) => /^\s*(?:SELECT|PRAGMA)\b/i.test(one)),
      });
      const text = await answer.text();
      const parsed = rows.safeParse(parseJson(text));
      if (answer.ok && parsed.success) return parsed.data.result.map(({ results }) => results);
      throw toProblem(messageOf(text) ?? `status ${answer.status}`, "npm run deploy");
    },
    getObject: async (key) => {
      const answer = await call("GET", toObject(key));
      if (answer.status === 404) return null;
      if (!answer.ok) throw await refusal(`Fetching ${key}`, answer);
      return new Uint8Array(await answer.arrayBuffer());
    },
    putObject: async (key, bytes) => {
      const answer = await call("PUT", toObject(key), { body: bytes });
      if (!answer.ok) throw await refusal(`Storing ${key}`, answer);
    },
    deleteObject: async (key) => {
      const answer = await call("DELETE", toObject(key));
      if (!answer.ok) throw await refusal(`Removing ${key}`, answer);
    },
    databaseBytes: async () => {
      const answer = await call("GET", `${path}/d1/database/${database_id}`);
      if (!answer.ok) throw await refusal("Asking for the size of the database", answer);
      return described.parse(await answer.json()).result.file_size;
    },
  };
}

/** Wrangler renews a login that is about to end. */
async function readLogin(): Promise<Record<string, string>> {
  const command = ["auth", "token", "--json"];
  const output = await requireWrangler("Asking wrangler for its login", command);
  const parsed = login.parse(parseJson(output));
  return "token" in parsed
    ? { authorization: `Bearer ${parsed.token}` }
    : { "x-auth-key": parsed.key, "x-auth-email": parsed.email };
}

interface CallOptions {
  body?: string | Uint8Array<ArrayBuffer>;
  /** Whether a call that was not answered may have taken effect without harm. Left out: yes. */
  isSafeToRepeat?: boolean;
}

function createCall(credentials: Record<string, string>) {
  const pace = createPace();
  let current = credentials;
  const send = async (
    method: string,
    url: string,
    { body, isSafeToRepeat = true }: CallOptions,
  ) => {
    await pace();
    let answer: Response;
    try {
      const headers = new Headers(current);
      if (typeof body === "string") headers.set("content-type", "application/json");
      answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
    } catch (error) {
      const message = `Cloudflare did not answer: ${describeNetworkError(error)}`;
      throw isSafeToRepeat ? new TemporaryProblem(message) : new Problem(message);
    }
    const { status } = answer;
    if (status === 429 || (isSafeToRepeat && isTemporaryStatus(status))) {
      const reason = messageOf(await answer.text()) ?? `status ${status}`;
      const wait = readRetryAfter(answer.headers.get("retry-after"));
      throw new TemporaryProblem(`Cloudflare said: ${reason}`, wait);
    }
    return answer;
  };
  return async (method: string, url: string, options: CallOptions = {}): Promise<Response> => {
    const answer = await retrying(() => send(method, url, options));
    if (answer.status !== 401) return answer;
    current = await readLogin();
    return retrying(() => send(method, url, options));
  };
}

/** @see https://developers.cloudflare.com/fundamentals/api/reference/limits/ */
const CALLS = 1_200;
const WITHIN_MS = 300_000;

/** Waits where another call would be one too many. A tenth of the calls is left to other programs. */
function createPace() {
  const most = CALLS * 0.9;
  const times: number[] = [];
  return async (): Promise<void> => {
    const oldest = times.length < most ? null : times.shift();
    const waitMs = oldest ? oldest + WITHIN_MS - Date.now() : 0;
    if (waitMs > 0) await sleep(waitMs);
    times.push(Date.now());
  };
}

function messageOf(text: string): string | null {
  const errors = envelope.safeParse(parseJson(text)).data?.errors ?? [];
  return errors.map(({ message }) => message).join("; ") || null;
}

async function refusal(attempt: string, answer: Response): Promise<Problem> {
  const reason = messageOf(await answer.text()) ?? `status ${answer.status}`;
  const message = `${attempt} failed: ${reason}`;
  return [401, 403, 404].includes(answer.status) ? new NoStorage(message) : new Problem(message);
}
