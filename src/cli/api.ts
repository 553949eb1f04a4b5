import * as z from "zod";
import type { RouteName } from "../features/presign/rules.ts";
import type { LocalFile } from "./local-file.ts";
import { Problem } from "./program.ts";
import {
  describeNetworkError,
  isPassingStatus,
  PassingProblem,
  Refusal,
  readRetryAfter,
} from "./retry.ts";

const account = z.object({
  id: z.string(),
  platform: z.string(),
  accountName: z.string(),
  status: z.string(),
  mode: z.string().optional(),
});
export type Account = z.infer<typeof account>;

const upload = z.object({
  id: z.number(),
  status: z.string(),
  scheduledFor: z.string().nullish(),
  metadata: z
    .object({ shareUrl: z.string().nullish(), warnings: z.array(z.string()).optional() })
    .nullish(),
  errorMessage: z.string().nullish(),
  failure: z.object({ code: z.string(), nextAction: z.string() }).partial().nullish(),
  progress: z
    .object({ phase: z.string(), sentBytes: z.number(), totalBytes: z.number() })
    .nullish(),
});
export type Upload = z.infer<typeof upload>;

const common = { bucketUrl: z.string(), accessUrl: z.string() };

/** A presigned file: with parts, or for one PUT. */
export const presigned = z.union([
  z.object({
    ...common,
    multipart: z.object({
      parts: z.array(z.object({ partNumber: z.number(), uploadUrl: z.string(), size: z.number() })),
      partSize: z.number(),
      completeUrl: z.string(),
      abortUrl: z.string(),
    }),
  }),
  z.object({
    ...common,
    uploadUrl: z.string(),
    uploadHeaders: z.record(z.string(), z.string()),
  }),
]);
export type Presigned = z.infer<typeof presigned>;

const capabilities = z.object({
  mediaSupport: z.object({
    kinds: z.array(z.string()),
    imageMaxBytes: z.number().optional(),
    videoMaxBytes: z.number().optional(),
    documentMaxBytes: z.number().optional(),
  }),
  settingsSchema: z.record(z.string(), z.unknown()),
});
export type Capabilities = z.infer<typeof capabilities>;

const board = z.object({ id: z.string(), name: z.string() });
type Board = z.infer<typeof board>;

const event = z.object({
  id: z.string(),
  event: z.string(),
  createdAt: z.iso.datetime(),
  data: z.record(z.string(), z.unknown()),
});
/** An event of the feed, as a webhook is sent it. */
export type FeedEvent = z.infer<typeof event>;

const eventPage = z.object({ data: z.array(event), nextCursor: z.string() });
const webhook = z.object({ id: z.number(), url: z.string() });
const oneWebhook = z.object({ data: webhook });
const webhookList = z.object({ data: z.array(webhook) });
const done = z.object({ success: z.literal(true) });
const oneWholeAccount = z.object({ data: account });
const oneCapabilities = z.object({ data: capabilities });
const verdict = z.object({ valid: z.boolean(), errors: z.array(z.object({ error: z.string() })) });
const presignedFiles = z.object({ files: z.tuple([presigned]) });
const accountList = z.object({ data: z.array(account) });
const boardList = z.object({ data: z.array(board) });
const oneAccount = z.object({ data: account.pick({ id: true }) });
const createdUpload = z.object({ data: z.object({ uploadId: z.number(), status: z.string() }) });
const oneUpload = z.object({ data: upload });
const refusal = z.object({
  error: z.string(),
  message: z.string().optional(),
  errors: z.array(z.object({ field: z.string().optional(), message: z.string() })).optional(),
});

/** A client of the REST API at `origin`; every failure is a Problem in the API's own words. */
export interface Api {
  origin: string;
  listAccounts(): Promise<Account[]>;
  createSandboxAccount(platform: string, name: string): Promise<string>;
  /** Lists the boards of a Pinterest account. */
  listBoards(accountId: string): Promise<Board[]>;
  getAccount(id: string): Promise<Account>;
  getCapabilities(platform: string): Promise<Capabilities>;
  /** The errors of a post that is checked and not made; none when it would be taken. */
  validate(form: FormData): Promise<string[]>;
  presign(route: RouteName, file: LocalFile, idempotencyKey: string): Promise<Presigned>;
  /** @param idempotencyKey makes the call safe to repeat */
  createUpload(form: FormData, idempotencyKey?: string): Promise<number>;
  getUpload(id: number): Promise<Upload>;
  /** The events behind the cursor, oldest first; without one, from 30 days ago. */
  listEvents(page: { after: string | null; limit: number }): Promise<z.infer<typeof eventPage>>;
  listWebhooks(): Promise<z.infer<typeof webhook>[]>;
  createWebhook(webhook: { url: string; events: string[]; secret: string }): Promise<number>;
  deleteWebhook(id: number): Promise<void>;
}

const TIMEOUT_MS = 30_000;

export function createApi(origin: string, token: string): Api {
  async function call<T>(schema: z.ZodType<T>, path: string, init: RequestInit = {}): Promise<T> {
    const headers = new Headers(init.headers);
    headers.set("x-api-key", token);
    const { response, text } = await ask(`${origin}/api/v1${path}`, { ...init, headers });
    const body = parseJson(text);
    const parsed = schema.safeParse(body);
    if (response.ok && parsed.success) return parsed.data;
    const { status } = response;
    const message = `${init.method ?? "GET"} ${path}: ${explain(status, body, text)}`;
    if (response.ok) throw new Problem(message);
    if (!isPassingStatus(status)) throw new Refusal(message);
    throw new PassingProblem(message, readRetryAfter(response.headers.get("retry-after")));
  }

  const post = <T>(schema: z.ZodType<T>, path: string, body: object, key?: string): Promise<T> =>
    call(schema, path, {
      method: "POST",
      headers: {
        ...(key ? { "idempotency-key": key } : {}),
        ...(body instanceof FormData ? {} : { "content-type": "application/json" }),
      },
      body: body instanceof FormData ? body : JSON.stringify(body),
    });

  const query = (values: Record<string, string>) => `?${new URLSearchParams(values)}`;

  return {
    origin,
    listAccounts: async () => (await call(accountList, "/accounts")).data,
    createSandboxAccount: async (platform, name) =>
      (await post(oneAccount, "/accounts", { platform, sandbox: true, name })).data.id,
    listBoards: async (accountId) =>
      (await call(boardList, `/pinterest/boards${query({ accountId })}`)).data,
    getAccount: async (id) =>
      (await call(oneWholeAccount, `/accounts/${encodeURIComponent(id)}`)).data,
    getCapabilities: async (platform) =>
      (await call(oneCapabilities, `/platforms/capabilities${query({ platform })}`)).data,
    validate: async (form) =>
      (await post(verdict, "/upload/validate", form)).errors.map(({ error }) => error),
    presign: async (route, { name, sizeBytes: size, mime: type }, key) => {
      const body = { route, files: [{ name, size, type }] };
      return (await post(presignedFiles, "/upload/presign", body, key)).files[0];
    },
    createUpload: async (form, key) =>
      (await post(createdUpload, "/upload", form, key)).data.uploadId,
    getUpload: async (id) => (await call(oneUpload, `/upload/${id}`)).data,
    listEvents: ({ after, limit }) =>
      call(eventPage, `/events${query({ ...(after ? { after } : {}), limit: String(limit) })}`),
    listWebhooks: async () => (await call(webhookList, "/webhooks")).data,
    createWebhook: async (body) => (await post(oneWebhook, "/webhooks", body)).data.id,
    deleteWebhook: async (id) => void (await call(done, `/webhooks/${id}`, { method: "DELETE" })),
  };
}

/** The answer of a server with its text. @throws PassingProblem when there is none */
export async function ask(
  url: string,
  init: RequestInit,
  timeoutMs = TIMEOUT_MS,
): Promise<{ response: Response; text: string }> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) });
    return { response, text: await response.text() };
  } catch (error) {
    const { origin } = new URL(url);
    throw new PassingProblem(`${origin} cannot be reached: ${describeNetworkError(error)}`);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

function explain(status: number, body: unknown, text: string): string {
  const refused = refusal.safeParse(body);
  if (!refused.success) return `unexpected answer (${status}): ${text.slice(0, 200)}`;
  const { error, message, errors = [] } = refused.data;
  const details = errors.map(({ field, message }) => (field ? `${field}: ${message}` : message));
  return [`${status} ${message ? `${error}, ${message}` : error}`, ...details].join("; ");
}

const health = z.object({ status: z.string(), error: z.string().optional() });

/** The answer of `/health`. `status` is null when the server that answered is not a running Akimbo. */
export interface HealthAnswer {
  status: string | null;
  error: string | null;
  /** The answer as it came, cut short. */
  text: string;
}

const HEALTH_TIMEOUT_MS = 2_000;
const SHOWN_CHARACTERS = 300;

/** Asks for the health of what listens there; null when nothing answers. */
export async function askHealth(origin: string): Promise<HealthAnswer | null> {
  const signal = AbortSignal.timeout(HEALTH_TIMEOUT_MS);
  try {
    const response = await fetch(`${origin}/health`, { signal });
    const body = await response.text();
    const { data } = health.safeParse(parseJson(body));
    return {
      status: data?.status ?? null,
      error: data?.error ?? null,
      text: `HTTP ${response.status} ${body.slice(0, SHOWN_CHARACTERS)}`.trim(),
    };
  } catch {
    return null;
  }
}

/**
 * The ids of the sandbox accounts of these platforms, in their order; those that are missing are made,
 * all at once.
 */
export async function ensureSandboxAccounts(
  api: Api,
  platforms: readonly string[],
): Promise<string[]> {
  const accounts = await api.listAccounts();
  return Promise.all(
    platforms.map(async (platform) => {
      const known = accounts.find((one) => one.platform === platform && one.mode === "sandbox");
      return known?.id ?? api.createSandboxAccount(platform, "Demo");
    }),
  );
}
