import { asSentence } from "../../core/text.ts";
import { DAY } from "../../core/time.ts";
import type { Connector } from "../../platforms/connector.ts";
import type { Audience, Rehearsal, Removal } from "../../platforms/rehearsal.ts";

/**
 * `asking`: others would see the post, and the owner has not agreed yet. `submitting`: the call that publishes was
 * sent, and its answer is unknown.
 */
export const STAGES = [
  "planning",
  "asking",
  "preparing",
  "submitting",
  "settling",
  "reading",
  "removing",
  "over",
] as const;
export type Stage = (typeof STAGES)[number];

/** Stages in which no call has sent anything of the post. */
export const UNPUBLISHED: readonly Stage[] = ["planning", "asking"];

/** `left`: the post is still there. `unknown`: it may be there. `forgotten`: the owner has seen to it. */
export const OUTCOMES = ["nothing", "removed", "left", "unknown", "forgotten"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** What the caller does next. `stop`: another step helps only after the account is connected again. */
export const NEXT = ["step", "ask", "stop", "over"] as const;
export type Next = (typeof NEXT)[number];

export const isSeenByOthers = (audience: Audience): boolean =>
  audience === "connections" || audience === "everyone";

const SEEN_BY: Record<Audience, string> = {
  nobody: "Nobody sees it.",
  owner: "Only the account itself sees it.",
  connections: "The account's connections see it.",
  everyone: "Everybody can see it.",
};

/** A sentence. */
export const seenBy = (
  audience: Audience,
  { seenByOwner = SEEN_BY.owner }: Pick<Rehearsal, "seenByOwner">,
): string => (audience === "owner" ? seenByOwner : SEEN_BY[audience]);

interface State {
  stage: Stage;
  outcome: Outcome | null;
  platformPostId: string | null;
}

const PUBLISHING: readonly Stage[] = ["submitting", "settling", "reading", "removing"];

export const mayBeOut = ({ stage, outcome }: Pick<State, "stage" | "outcome">): boolean =>
  PUBLISHING.includes(stage) || outcome === "left" || outcome === "unknown";

interface Described extends State {
  shareUrl: string | null;
  message: string | null;
  plan: { audience: Audience } | null;
}

/** Says what is out, in sentences. */
export function describe(
  row: Described,
  { name, rehearsal }: Pick<Connector, "name" | "rehearsal">,
): string {
  const { stage, outcome, shareUrl, platformPostId, plan } = row;
  const { byHand } = rehearsal;
  const seen = plan ? ` ${seenBy(plan.audience, rehearsal)}` : "";
  const place = shareUrl ?? (platformPostId ? `id ${platformPostId}` : `on ${name}`);
  const reason = row.message ? ` ${asSentence(row.message)}` : "";
  if (outcome === "removed") return `The post was published and deleted again.${reason}`;
  if (outcome === "left") return `The post is still there: ${place}.${seen}${reason} ${byHand}`;
  if (outcome === "forgotten") return "The rehearsal is forgotten.";
  if (outcome === "unknown") {
    return `The post may be out: look at ${name}.${seen}${reason} ${byHand}`;
  }
  switch (stage) {
    case "planning":
    case "asking":
    case "preparing":
    case "over":
      return `Nothing was published.${reason}`;
    case "submitting":
      return `The post may be out: it was sent, and ${name} has not said what became of it.${seen}${reason}`;
    case "settling":
      return `The post was sent, and ${name} is processing it.${seen}${reason}`;
    case "reading":
    case "removing":
      return `The post is out: ${place}.${seen}${reason}`;
    default:
      return stage satisfies never;
  }
}

const PROMISES: Record<Removal, string> = {
  possible: " It is deleted soon.",
  impossible: " It is deleted by hand.",
  unknown: "",
  needless: " It is never published.",
};

/** Networks refuse repeated texts, so each rehearsal has a text of its own. */
export function textOf(now: Date, mark: string, removal: Removal, note: string): string {
  const at = `${now.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const own = note === "" ? "" : ` ${note}`;
  return `Rehearsal of Akimbo, ${at} (${mark}).${PROMISES[removal]}${own}`;
}

/** A sentence about a login that cannot delete. Empty where the API deletes nothing for anybody. */
export const whyItStays = ({ removeScope }: Pick<Rehearsal, "removeScope">): string =>
  removeScope === undefined ? "" : `This login may not delete it: it lacks ${removeScope}.`;

/** What is left to do by hand. Null where nothing is. */
export const byHandOf = (
  { outcome, platformPostId }: Pick<State, "outcome" | "platformPostId">,
  { byHand }: Pick<Rehearsal, "byHand">,
): string | null => {
  const isDone = outcome === "removed" || (outcome === "nothing" && platformPostId === null);
  return isDone ? null : byHand;
};

/** Rehearsals of one account in 24 hours. */
export const MAX_A_DAY = 10;

/** How long the platform is asked what became of the post. */
export const ASKED_FOR_SECONDS = 86_400;

/** How long rehearsals are kept that left nothing. */
export const ENDED_KEPT_MS = 30 * DAY;

/** Any address, also one without a protocol, which networks turn into a link. */
const LINK = /:\/\/|[\p{L}\p{N}\p{M}]\.\p{L}[\p{L}\p{M}-]/u;

export const hasLink = (text: string): boolean => LINK.test(text);

/** Tries to delete the post before it is left. */
export const MAX_REMOVALS = 3;
