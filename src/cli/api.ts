import * as z from "zod";
import { Problem } from "./program.ts";

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
  metadata: z.object({ shareUrl: z.string().nullish() }).nullish(),
  errorMessage: z.string().nullish(),
  failure: z.object({ code: z.string() }).partial().nullish(),
});
type Upload = z.infer<typeof upload>;

const board = z.object({ id: z.string(), name: z.string() });
type Board = z.infer<typeof board>;

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
  createUpload(form: FormData): Promise<number>;
  getUpload(id: number): Promise<Upload>;
}

const TIMEOUT_MS = 30_000;

export function createApi(origin: string, token: string): Api {
  async function call<T>(schema: z.ZodType<T>, path: string, init: RequestInit = {}): Promise<T> {
    const headers = new Headers(init.headers);
    headers.set("x-api-key", token);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(`${origin}/api/v1${path}`, { ...init, headers, signal });
    const text = await response.text();
    const body = parseJson(text);
    const parsed = schema.safeParse(body);
    if (response.ok && parsed.success) return parsed.data;
    throw new Problem(`${init.method ?? "GET"} ${path}: ${explain(response.status, body, text)}`);
  }

  return {
    origin,
    listAccounts: async () => (await call(accountList, "/accounts")).data,
    createSandboxAccount: async (platform, name) => {
      const init = {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ platform, sandbox: true, name }),
      };
      return (await call(oneAccount, "/accounts", init)).data.id;
    },
    listBoards: async (accountId) =>
      (await call(boardList, `/pinterest/boards?accountId=${encodeURIComponent(accountId)}`)).data,
    createUpload: async (form) => {
      const init = { method: "POST", body: form };
      return (await call(createdUpload, "/upload", init)).data.uploadId;
    },
    getUpload: async (id) => (await call(oneUpload, `/upload/${id}`)).data,
  };
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
