import * as z from "zod";
import { createAkimbo, type operations, type Schemas } from "../client/index.ts";
import type { RouteName } from "../features/presign/rules.ts";
import type { Connection } from "./connection.ts";
import { parseJson } from "./json.ts";
import type { LocalFile } from "./local-file.ts";
import { type Credential, ofToken, sendWith } from "./login/credential.ts";
import { Problem } from "./program.ts";
import {
  describeNetworkError,
  isTemporaryStatus,
  Refusal,
  readRetryAfter,
  TemporaryProblem,
  TRY_LATER,
} from "./retry.ts";
import type { Presigned } from "./upload-journal.ts";

export type Account = Pick<Schemas["Account"], "id" | "platform" | "accountName" | "status"> &
  Partial<Schemas["Account"]>;
export type Upload = Schemas["Upload"];
export type UnpublishedUpload = Schemas["UnpublishedUpload"] & { message: string };
export type MentionedAccount = Schemas["MentionedAccount"];
export type BulkResult = Schemas["BulkResult"];
export type Capabilities = Schemas["PlatformCapabilities"];
export type Rehearsal = Schemas["Rehearsal"];
export type RecordedCall = Schemas["RecordedCall"];
export type FeedEvent = Schemas["Event"];
export type ImportedRow = Schemas["ImportedRow"];
export type ImportOutcome =
  operations["importUploads"]["responses"][200]["content"]["application/json"];
export type AccountFilter = NonNullable<operations["listAccounts"]["parameters"]["query"]>;
export type UploadFilter = NonNullable<operations["listUploads"]["parameters"]["query"]>;
export type RetryFilter = Schemas["FailedUploadsRetry"];
export type RetriedUploads =
  operations["retryFailedUploads"]["responses"][200]["content"]["application/json"]["data"];

/** Fields of a form by name. A list is sent as a repeated field. */
/** Stands among files; its field is mediaId, wherever it stands. */
export interface NamedFile {
  mediaId: string;
}

type Part = string | Blob | NamedFile;
export type Form = Record<string, Part | Part[]>;

function toForm(form: object): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(form as Form)) {
    for (const part of [value].flat()) {
      if (typeof part === "object" && "mediaId" in part) data.append("mediaId", part.mediaId);
      else if (part instanceof File) data.append(name, part, part.name);
      else data.append(name, part instanceof Blob ? part : String(part));
    }
  }
  return data;
}

const TIMEOUT_MS = 30_000;
const FORM_TIMEOUT_MS = 10 * 60_000;

export type Api = ReturnType<typeof createApi>;

/** @param access a token, or what gives each call its own */
export function createApi(origin: string, access: string | Credential) {
  const credential = typeof access === "string" ? ofToken(access) : access;
  const send = (request: Request) => reach(request, credential);
  const client = createAkimbo({ url: origin, token: "", fetch: send, retries: 0 });
  const named = (key: string | undefined) => ({ header: key ? { "Idempotency-Key": key } : {} });
  const id = (number: number) => ({ path: { id: String(number) } });

  return {
    origin,
    listAccounts: (query: AccountFilter = {}): Promise<Account[]> =>
      dataOf(client.GET("/api/v1/accounts", { params: { query } })),
    createSandboxAccount: async (platform: string, name: string, pageId?: string) => {
      const page = pageId === undefined ? {} : { pageId };
      const body = { platform, sandbox: true, name, ...page } as Schemas["NewAccount"];
      const made = await answerOf(client.POST("/api/v1/accounts", { body }));
      if ("data" in made) return made.data.id;
      throw new Problem(`POST /accounts: ${platform} asks for a person's consent.`);
    },
    deleteAccount: async (accountId: string) => {
      const params = { path: { id: accountId } };
      await answerOf(client.DELETE("/api/v1/accounts/{id}", { params }));
    },
    listPages: (accountId: string) =>
      dataOf(client.GET("/api/v1/accounts/linkedin/pages", { params: { query: { accountId } } })),
    listBoards: (accountId: string) =>
      dataOf(client.GET("/api/v1/pinterest/boards", { params: { query: { accountId } } })),
    getAccount: (accountId: string): Promise<Account> =>
      dataOf(client.GET("/api/v1/accounts/{id}", { params: { path: { id: accountId } } })),
    findMentions: async (accountId: string, query: string): Promise<MentionedAccount[]> => {
      const params = { path: { id: accountId }, query: { query } };
      return (await answerOf(client.GET("/api/v1/accounts/{id}/mentions", { params }))).mentions;
    },
    getCapabilities: async (name: string): Promise<Capabilities> => {
      const platform = name as Account["platform"];
      const call = client.GET("/api/v1/platforms/capabilities", {
        params: { query: { platform } },
      });
      const [one] = [(await answerOf(call)).data].flat();
      if (one) return one;
      throw new Problem(`GET /platforms/capabilities: it has no entry for ${platform}.`);
    },
    listCapabilities: async (): Promise<Capabilities[]> =>
      [(await answerOf(client.GET("/api/v1/platforms/capabilities"))).data].flat(),
    validate: async (form: Form) => {
      const body = form as unknown as Schemas["NewUploads"];
      const call = client.POST("/api/v1/upload/validate", { body, bodySerializer: toForm });
      return (await answerOf(call)).errors.map(({ error }) => error);
    },
    presign: async (
      route: RouteName,
      files: readonly LocalFile[],
      idempotencyKey: string,
    ): Promise<Presigned[]> => {
      const declared = files.map(({ name, sizeBytes: size, mime: type }) => ({ name, size, type }));
      const body = { route, files: declared };
      const params = named(idempotencyKey);
      return (await answerOf(client.POST("/api/v1/upload/presign", { params, body }))).files;
    },
    /** @param idempotencyKey makes the call safe to repeat */
    createUpload: async (
      form: Form,
      idempotencyKey?: string,
      tell: (warning: string) => void = () => {},
    ) => {
      const body = form as unknown as Schemas["NewUpload"];
      const options = { params: named(idempotencyKey), body, bodySerializer: toForm };
      const { uploadId, warnings = [] } = await dataOf(client.POST("/api/v1/upload", options));
      for (const warning of warnings) tell(warning);
      return uploadId;
    },
    createUploads: async (form: Form, idempotencyKey: string): Promise<BulkResult[]> => {
      const body = form as unknown as Schemas["NewUploads"];
      const options = { params: named(idempotencyKey), body, bodySerializer: toForm };
      return (await answerOf(client.POST("/api/v1/upload/bulk", options))).results;
    },
    importUploads: (form: Form): Promise<ImportOutcome> => {
      const body = form as unknown as Schemas["NewImport"];
      return answerOf(client.POST("/api/v1/upload/import", { body, bodySerializer: toForm }));
    },
    listRehearsals: () => dataOf(client.GET("/api/v1/rehearsals")),
    startRehearsal: (accountId: string, note: string) =>
      dataOf(client.POST("/api/v1/rehearsals", { body: { accountId, note } })),
    stepRehearsal: (number: number, acceptPublic: boolean) =>
      answerOf(
        client.POST("/api/v1/rehearsals/{id}/step", { params: id(number), body: { acceptPublic } }),
      ),
    forgetRehearsal: async (number: number, isUnpublishedOnly: boolean) => {
      const query = { unpublished: isUnpublishedOnly ? "true" : "false" } as const;
      const params = { ...id(number), query };
      await answerOf(client.DELETE("/api/v1/rehearsals/{id}", { params }));
    },
    getUpload: (number: number): Promise<Upload> =>
      dataOf(client.GET("/api/v1/upload/{id}", { params: id(number) })),
    listUploads: (query: UploadFilter): Promise<Upload[]> =>
      dataOf(client.GET("/api/v1/upload", { params: { query } })),
    retryUpload: async (number: number, force: boolean, idempotencyKey: string) => {
      const params = { ...id(number), ...named(idempotencyKey) };
      await answerOf(client.POST("/api/v1/upload/{id}/retry", { params, body: { force } }));
    },
    editUpload: async (number: number, body: Schemas["UploadEdit"]) => {
      const call = client.PATCH("/api/v1/upload/{id}", { params: id(number), body });
      const { data, message } = await answerOf(call);
      return { ...data, ...(message === undefined ? {} : { message }) };
    },
    unpublishUpload: async (number: number): Promise<UnpublishedUpload> => {
      const call = client.POST("/api/v1/upload/{id}/unpublish", { params: id(number) });
      const { data, message } = await answerOf(call);
      return { ...data, message };
    },
    retryFailed: (body: RetryFilter): Promise<RetriedUploads> =>
      dataOf(client.POST("/api/v1/upload/retry-failed", { body })),
    /** Oldest events come first. Without a cursor, the list starts 30 days ago. */
    listEvents: async (page: {
      after: string | null;
      limit: number;
    }): Promise<{ data: FeedEvent[]; nextCursor: string; hasMore: boolean }> => {
      const query = { ...(page.after ? { after: page.after } : {}), limit: page.limit };
      return await answerOf(client.GET("/api/v1/events", { params: { query } }));
    },
    getOverview: () => dataOf(client.GET("/api/v1/analytics/overview")),
    getAnalytics: (connectedAccountId: string) => {
      const params = { path: { connectedAccountId } };
      return dataOf(client.GET("/api/v1/analytics/{connectedAccountId}", { params }));
    },
    listWebhooks: (): Promise<Pick<Schemas["Webhook"], "id" | "url">[]> =>
      dataOf(client.GET("/api/v1/webhooks")),
    createWebhook: async (webhook: { url: string; events: string[]; secret: string }) => {
      const body = webhook as Schemas["NewWebhook"];
      return (await dataOf(client.POST("/api/v1/webhooks", { body }))).id;
    },
    deleteWebhook: async (number: number) => {
      await answerOf(client.DELETE("/api/v1/webhooks/{id}", { params: id(number) }));
    },
    listTokens: () => dataOf(client.GET("/api/v1/tokens")),
    createToken: (body: Schemas["NewToken"]) => dataOf(client.POST("/api/v1/tokens", { body })),
    revokeToken: async (number: number) => {
      await answerOf(client.DELETE("/api/v1/tokens/{id}", { params: id(number) }));
    },
  };
}

async function answerOf<T>(call: Promise<{ data?: T }>): Promise<T> {
  const { data } = await call;
  if (data === undefined) throw new Problem("The API gave an empty answer.");
  return data;
}

const dataOf = async <T>(call: Promise<{ data?: { data: T } }>): Promise<T> =>
  (await answerOf(call)).data;

/** @throws Refusal for a final answer; PassingProblem when another try may help */
async function reach(request: Request, credential: Credential): Promise<Response> {
  const isForm = request.headers.get("content-type")?.startsWith("multipart/") ?? false;
  const { response, text } = await sendWith(credential, (header) => {
    // A body can be sent once.
    const copy = credential.renew ? request.clone() : request;
    copy.headers.delete("x-api-key");
    for (const [name, value] of Object.entries(header)) copy.headers.set(name, value);
    return ask(copy, {}, isForm ? FORM_TIMEOUT_MS : TIMEOUT_MS);
  });
  const { status, headers } = response;
  const body = parseJson(text);
  if (response.ok && typeof body === "object" && body !== null) return Response.json(body);
  const path = new URL(request.url).pathname.replace("/api/v1", "");
  const message = `${request.method} ${path}: ${explain(path, status, body, text)}`;
  if (response.ok) throw new Problem(message);
  if (!isTemporaryStatus(status)) throw new Refusal(message);
  throw new TemporaryProblem(message, readRetryAfter(headers.get("retry-after")));
}

/** @throws PassingProblem when the server gives no answer */
export async function ask(
  to: string | Request,
  init: RequestInit,
  timeoutMs = TIMEOUT_MS,
): Promise<{ response: Response; text: string }> {
  try {
    const response = await fetch(to, { ...init, signal: AbortSignal.timeout(timeoutMs) });
    return { response, text: await response.text() };
  } catch (error) {
    const { origin } = new URL(typeof to === "string" ? to : to.url);
    throw new TemporaryProblem(`${origin} cannot be reached: ${describeNetworkError(error)}`);
  }
}

const OPTIONS: Readonly<Record<string, string>> = {
  accountId: "--account",
  accounts: "--account",
  schedule_date: "--at",
  thread: "--thread",
  first_comment: "--comment",
  file: "--media",
  photo: "--media",
  video: "--media",
  teamId: "--team",
};

const OPTIONS_OF_IMPORT: typeof OPTIONS = {
  file: "the file",
  account: "--account",
  mapping: "--map",
  timezone: "--timezone",
};

const NAMESAKES = new Set([
  "archived",
  "description",
  "limit",
  "name",
  "note",
  "platform",
  "scopes",
  "search",
  "status",
  "tags",
  "title",
]);

function optionOf(field: string, path: string): string {
  const options = path === "/upload/import" ? OPTIONS_OF_IMPORT : OPTIONS;
  return options[field] ?? (NAMESAKES.has(field) ? `--${field}` : `--set ${field}`);
}

/** Replaces API field names in a refusal with the command's options. */
const inOptions = (message: string, path: string): string =>
  message
    .replace(/^(\w+)(?:\.\d+)?: /, (_, field: string) => `${optionOf(field, path)} `)
    .replace(/\bschedule_date\b/g, "--at")
    .replace(/\bUpload(?= not found| \d)/g, "Post");

const refusal = z.object({
  error: z.string(),
  message: z.string().optional(),
  errors: z.array(z.object({ field: z.string().optional(), message: z.string() })).optional(),
});

function explain(path: string, status: number, body: unknown, text: string): string {
  const refused = refusal.safeParse(body);
  if (!refused.success) return `unexpected answer (${status}): ${text.slice(0, 200)}`;
  const { error, message, errors = [] } = refused.data;
  // The API repeats the first of several errors in `error`.
  const all = errors.length > 0 ? errors.map((one) => one.message) : [error];
  const words = new Set([...all, ...(message ? [message] : [])].map((one) => inOptions(one, path)));
  return `${status} ${[...words].join("; ")}`;
}

const health = z.object({ status: z.string(), error: z.string().optional() });

/** `status` is null when the server that answered `/health` is not a running Akimbo. */
export interface HealthAnswer {
  status: string | null;
  error: string | null;
  text: string;
}

const HEALTH_TIMEOUT_MS = 2_000;
const SHOWN_CHARACTERS = 300;

/** Returns null when nothing listens at the origin. */
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

/** @throws Problem when nothing answers, or another server */
export async function requireInstance({ origin, remedy }: Connection): Promise<HealthAnswer> {
  const health = await askHealth(origin);
  if (health?.status) return health;
  if (health) throw new Problem(`The server at ${origin}/health is not Akimbo: ${health.text}`);
  throw new Problem(`Nothing answers at ${origin}/health. ${remedy}`, TRY_LATER);
}

export async function ensureSandboxAccounts(
  api: Api,
  platforms: readonly string[],
): Promise<string[]> {
  const accounts = await api.listAccounts();
  return Promise.all(
    platforms.map(async (platform) => {
      const account = accounts.find((one) => one.platform === platform && one.mode === "sandbox");
      return account?.id ?? api.createSandboxAccount(platform, "Demo");
    }),
  );
}
