/** HTTP status of each `code`. Source: spec, "Errors". */
const STATUS = {
  INVALID_JSON: 400,
  INVALID_REQUEST: 400,
  VALIDATION: 400,
  TOO_MANY_FILES: 400,
  FILE_TOO_LARGE: 400,
  INVALID_FILE_TYPE: 400,
  USE_APPROVAL_ACTIONS: 400,
  UNAUTHORIZED: 401,
  INSUFFICIENT_SCOPE: 403,
  FORBIDDEN: 403,
  STORAGE_QUOTA_EXCEEDED: 403,
  NOT_FOUND: 404,
  UNKNOWN_ROUTE: 404,
  METHOD_NOT_ALLOWED: 405,
  ACCOUNT_INACTIVE: 409,
  NOT_FAILED: 409,
  ALREADY_RETRYING: 409,
  NOT_RETRYABLE: 409,
  NOT_CANCELLABLE: 409,
  UPLOAD_LOCKED: 409,
  ARCHIVED: 409,
  NOT_PUBLISHED: 409,
  NOT_UNPUBLISHABLE: 409,
  NOT_REVIEWABLE: 409,
  POST_CHANGED: 409,
  DRAFT_CHANGED: 409,
  VERSION_REQUIRED: 409,
  MEDIA_EXPIRED: 409,
  MEDIA_PENDING: 409,
  MEDIA_UNREACHABLE: 409,
  MEDIA_IN_USE: 409,
  DAILY_LIMIT: 409,
  PLAN_LIMIT: 409,
  QUEUE_FULL: 409,
  QUEUE_BUSY: 409,
  WEBHOOK_DISABLED: 409,
  SLUG_TAKEN: 409,
  DOMAIN_TAKEN: 409,
  IDEMPOTENCY_IN_PROGRESS: 409,
  BODY_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_MISMATCH: 422,
  RATE_LIMIT: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof STATUS;

export const ERROR_CODES = Object.keys(STATUS) as [ErrorCode, ...ErrorCode[]];

export interface FieldError {
  field: string;
  message: string;
}

/** Refusals that pass without a change of the post or its account. */
const PASSING: ReadonlySet<ErrorCode | null> = new Set([
  "DAILY_LIMIT",
  "PLAN_LIMIT",
  "QUEUE_FULL",
  "QUEUE_BUSY",
  "IDEMPOTENCY_MISMATCH",
  "IDEMPOTENCY_IN_PROGRESS",
  "RATE_LIMIT",
  "INTERNAL",
  "UNAVAILABLE",
]);

/** A refusal for the caller. `extras` are further fields of the answer, such as `requiredScope`. */
export class AppError extends Error {
  readonly code: ErrorCode | null;
  readonly status: number;
  readonly extras: Record<string, unknown>;
  readonly headers: Record<string, string>;
  readonly isPassing: boolean;

  constructor(
    code: ErrorCode | null,
    message: string,
    options: {
      status?: number;
      extras?: Record<string, unknown>;
      headers?: Record<string, string>;
      isPassing?: boolean;
    } = {},
  ) {
    super(message);
    this.code = code;
    this.status = options.status ?? (code ? STATUS[code] : 400);
    this.extras = options.extras ?? {};
    this.headers = options.headers ?? {};
    this.isPassing = options.isPassing ?? PASSING.has(code);
  }
}

export const fieldError = (field: string, message: string): FieldError => ({
  field,
  message: `${field}: ${message}`,
});

/** For the log: the message of an error may contain a URL with a token. */
export const errorName = (error: unknown): string =>
  error instanceof Error ? error.name : "unknown";

/** The spec gives this answer no code. */
export function invalidFields(errors: FieldError[]): AppError {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more, see errors)` : "";
  return new AppError(null, first ? `${first.message}${more}` : "The request is not valid.", {
    extras: { errors },
  });
}

/** The API gives this answer no code: only pages say which version they show. */
export const changedMeanwhile = (what: string): AppError =>
  new AppError(
    null,
    `${what} changed meanwhile, in another tab or by another person, so nothing was saved. What you typed is still here: look at the new state in another tab, then save again to replace it.`,
    { status: 409 },
  );

interface SchemaIssue {
  path: readonly PropertyKey[];
  message: string;
  keys?: string[];
  /** Of a union: what each of its forms refuses. */
  errors?: readonly (readonly SchemaIssue[])[];
}

/** A hostile list can contain a hundred thousand errors. */
const MAX_LISTED = 100;

const fieldsOf = (issues: readonly SchemaIssue[]): string =>
  JSON.stringify(issues.map(({ path, keys }) => [path, keys]));

/** A union's form that refuses least, if it names fields, is the form that the caller meant. */
function narrow(issue: SchemaIssue): readonly SchemaIssue[] {
  const forms = (issue.errors ?? []).filter((form) =>
    form.every(({ path, keys }) => path.length > 0 || keys),
  );
  const [meant, next] = forms.sort((one, other) => one.length - other.length);
  if (!meant?.length || (next?.length === meant.length && fieldsOf(next) !== fieldsOf(meant)))
    return [issue];
  return meant.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

export function toFieldErrors({ issues }: { issues: readonly SchemaIssue[] }): FieldError[] {
  const narrowed = issues.slice(0, MAX_LISTED).flatMap(narrow);
  return narrowed.slice(0, MAX_LISTED).map(({ path, message, keys = [] }) => {
    const field = [...path.map(String), ...keys.slice(0, 1)].join(".");
    return { field, message: field ? `${field}: ${message}` : message };
  });
}

/** The spec gives this answer no code. */
export function tooLarge(message: string): AppError {
  return new AppError(null, message, { status: 413 });
}

export function notFound(what: string): AppError {
  return new AppError("NOT_FOUND", `${what} not found.`);
}
