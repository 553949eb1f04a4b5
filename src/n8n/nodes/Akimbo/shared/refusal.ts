export interface Answer {
  status: number;
  body: unknown;
  retryAfterSeconds: number | null;
}

export interface Refusal {
  message: string;
  description: string;
}

interface ErrorBody {
  success: false;
  error?: string;
  message?: string;
  code?: string;
  requiredScope?: string;
  errors?: { message?: string }[];
  violations?: { message?: string }[];
}

const isErrorBody = (body: unknown): body is ErrorBody =>
  typeof body === "object" && body !== null && "success" in body && body.success === false;

/** What an instance answers for a path or method that its version does not have. */
const isMissingEndpoint = (status: number, body: ErrorBody): boolean =>
  status === 405 || (status === 404 && (body.error ?? "").startsWith("Nothing is at "));

const HINTS: Record<string, string> = {
  IDEMPOTENCY_MISMATCH:
    "The item had other values on the first try, and may be done already. Start a new execution if you want it done with the new values.",
  PLAN_LIMIT:
    "Ask the owner of the instance for a larger plan, or wait until the quota begins anew.",
  ACCOUNT_INACTIVE: "Connect the account again in Akimbo, then retry.",
  ARCHIVED: "Archived posts cannot be changed any more.",
  UNAVAILABLE: "Try again in a minute. Retry On Fail in the settings of this node does it for you.",
};

function hintFor(status: number, body: ErrorBody, retryAfterSeconds: number | null): string {
  if (body.requiredScope) {
    return `Give the token or app of the credential the scope ${body.requiredScope}.`;
  }
  const hint = HINTS[body.code ?? ""];
  if (hint) return hint;
  if (status === 401) return "Check the token of the credential, or connect its account again.";
  if (status === 403)
    return "Ask an owner or admin of the team to run this, or to give you the role.";
  if (status === 429 && retryAfterSeconds !== null) {
    return `Try again in ${retryAfterSeconds} seconds.`;
  }
  return "";
}

/** @param call method and path, such as "GET /api/v1/media" */
export function describeRefusal(
  call: string,
  origin: string,
  { status, body, retryAfterSeconds }: Answer,
): Refusal {
  if (!isErrorBody(body)) {
    return {
      message: `${origin} answered ${call} with ${status}, and not as Akimbo does`,
      description:
        "Check the base URL of the credential: it is the address of your instance, without a path. A proxy in front of the instance may have answered too.",
    };
  }
  if (isMissingEndpoint(status, body)) {
    return {
      message: `The instance at ${origin} does not have ${call}`,
      description:
        "It is older than this node. Upgrade the instance, or install the version of the node that came with it.",
    };
  }
  const message = body.error ?? body.message ?? `The instance answered ${status}`;
  const details = [...(body.errors ?? []), ...(body.violations ?? [])]
    .map((one) => one.message ?? "")
    .filter((text) => text !== "" && text !== message);
  const hint = hintFor(status, body, retryAfterSeconds);
  return { message, description: [...details, hint].filter(Boolean).join("\n") };
}
