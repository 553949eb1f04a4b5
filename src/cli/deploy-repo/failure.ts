/** Bindings that a deployment may leave out, and what the Worker does without them. */
export const OPTIONAL = {
  queues: {
    error: /\/queues\b|\bqueues?\b/i,
    text: "Queues are missing: this login may not make them. Posts go out up to a minute late.",
  },
  r2_buckets: {
    error: /\/r2\b|\bR2\b|\bbucket\b/i,
    text: "Storage is missing: enable R2 in the Cloudflare dashboard, which asks for a payment method. Until then, posts have no files.",
  },
  images: {
    error: /\bimages\b/i,
    text: "The Images binding is missing: pictures are not converted.",
  },
};

export type Optional = keyof typeof OPTIONAL;

const any = (...patterns: RegExp[]) =>
  new RegExp(patterns.map(({ source }) => source).join("|"), "i");

/** Failures of the network or of Cloudflare's API, which say nothing about the account. */
const PASSING = any(
  /-> (?:408|429|5\d\d)\b/,
  /malformed response|WAF block page|Retry-After/,
  /fetch failed|fetch request failed|unable to resolve Cloudflare's API/,
  /timed out|time-?out\b|socket hang up|other side closed/,
  /\b(?:ECONN\w+|EAI_AGAIN|ENOTFOUND|EPIPE|ETIMEDOUT|UND_ERR_\w+)\b/,
  /internal (?:server )?error|unknown error|bad gateway|service (?:temporarily )?unavailable/,
  /too many requests|rate[- ]limit|throttl|\[code: (?:971|10013|10429)\]/,
);

/**
 * Codes: a wrong or lacking right (9106, 9109, 10000, 10023), R2 or Queues not enabled (10042, 11002), no Queues on the
 * plan (100129), and a bucket or queue that is not there because wrangler might not make it (10085, 11000).
 */
const REFUSED = any(
  /\[code: (?:9106|9109|10000|10023|10042|10085|11000|11002|100129)\]/,
  /-> 40[13]\b|authentication|unauthori[sz]ed|not authori[sz]ed|access denied|forbidden/,
  /\bpermissions?\b|do not have access|not entitled|not enabled|(?:must|please) enable/,
  /on the free plan|please upgrade|limit reached|exceeded the limit|maximum number/,
);

/** `other` is for the owner to mend. */
export type Failure = "passing" | "other" | Optional;

/**
 * Says what a failed deployment is to be followed by. Only a refusal names a binding to leave out: an instance must not
 * lose its queues because Cloudflare's API was down for a moment.
 *
 * @param complaint wrangler's error, of the bindings that `isUsed` knows
 */
export function judgeFailure(complaint: string, isUsed: (name: Optional) => boolean): Failure {
  const text = complaint.replaceAll(/\s+/g, " ");
  if (PASSING.test(text)) return "passing";
  if (!REFUSED.test(text)) return "other";
  const unnamed = text.replaceAll(/\/(?:scripts|services)\/[^/) ]+/g, "");
  const names = Object.keys(OPTIONAL) as Optional[];
  return names.find((name) => isUsed(name) && OPTIONAL[name].error.test(unnamed)) ?? "other";
}
