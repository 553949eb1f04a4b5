/** The service's refusal, or that it could not be reached. */
export class CallRefused extends Error {
  /** 0 when no answer came. */
  readonly status: number;
  readonly code: string | null;

  constructor(status: number, body: Partial<RefusalBody>) {
    super(sentenceOf(body));
    this.status = status;
    this.code = body.code ?? null;
  }
}

/** Without the names of fields, which are for programs. */
function sentenceOf({ error, errors = [] }: Partial<RefusalBody>): string {
  const own = errors.map(({ field, message }) => {
    const text = message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
    return text.charAt(0).toUpperCase() + text.slice(1);
  });
  return own.join(" ") || error || "The server did not answer as it should. Try again.";
}

interface RefusalBody {
  error: string;
  code: string;
  errors: { field: string; message: string }[];
}

const team = (): string => document.body.dataset.team ?? "";

/**
 * Sends a request to this instance as the signed-in person, in the page's team.
 *
 * @throws CallRefused
 */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("X-Team-ID", team());
  const answer = await fetch(path, { ...init, headers }).catch(() => {
    throw new CallRefused(0, { error: "There is no connection. Try again when the line is back." });
  });
  if (answer.ok) return answer;
  throw new CallRefused(answer.status, await answer.json().catch(() => ({})));
}

/**
 * Calls the REST API and reads its JSON answer. A plain object is sent as JSON. With `keepalive`, the call outlives
 * the page.
 *
 * @param path below /api/v1, such as /upload/validate
 * @throws CallRefused
 */
export async function call<T>(
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  body?: FormData | object,
  headers: Record<string, string> = {},
  keepalive = false,
): Promise<T> {
  const isForm = body === undefined || body instanceof FormData;
  const answer = await send(`/api/v1${path}`, {
    method,
    keepalive,
    headers: isForm ? headers : { "Content-Type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  });
  return answer.json();
}
