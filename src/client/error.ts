export interface FieldError {
  field: string;
  message: string;
}

/** A call of a helper that was refused. */
export class AkimboError extends Error {
  override readonly name: string = "AkimboError";
  readonly status: number;
  /** A word for programs, such as NOT_FOUND. */
  readonly code: string | null;
  /** Every refused field of the call. */
  readonly fields: FieldError[];
  readonly requestId: string | null;
  /** Where the API says when the call may succeed. */
  readonly retryAfterSeconds: number | null;
  readonly body: unknown;

  constructor(response: Response, body: unknown) {
    const { error, code, errors } = readRefusal(body);
    super(`${response.status}: ${error}`);
    this.status = response.status;
    this.code = code;
    this.fields = errors;
    this.requestId = response.headers.get("x-request-id");
    this.retryAfterSeconds = readRetryAfter(response.headers);
    this.body = body;
  }
}

export function readRetryAfter(headers: Headers): number | null {
  const value = headers.get("retry-after") ?? "";
  return /^\d{1,6}$/.test(value) ? Number(value) : null;
}

const SHOWN_CHARACTERS = 200;

/** Storage says in XML what it refuses; a proxy may answer a page. */
function readRefusal(body: unknown): { error: string; code: string | null; errors: FieldError[] } {
  if (typeof body === "object" && body !== null && "error" in body) {
    const {
      error,
      code,
      errors = [],
    } = body as {
      error: string;
      code?: string;
      errors?: FieldError[];
    };
    const fields = errors.map(({ message }) => message).join("; ");
    return { error: fields || error, code: code ?? null, errors };
  }
  const text = String(body);
  const message = /<Message>([^<]*)<\/Message>/.exec(text)?.[1];
  return { error: message ?? text.slice(0, SHOWN_CHARACTERS), code: null, errors: [] };
}

/** @throws AkimboError for a refusal */
export async function answerOf<T>(
  call: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<T> {
  const { data, error, response } = await call;
  if (data === undefined) throw new AkimboError(response, error);
  return data;
}
