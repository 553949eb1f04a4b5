import { asSentence } from "../../core/text.ts";
import { DAY } from "../../core/time.ts";
import type { Connector } from "../../platforms/connector.ts";
import type { Audience, Rehearsal, Removal } from "../../platforms/rehearsal.ts";
import type { PostRemoval } from "../../platforms/removal.ts";

/**
 * `asking`: others would see the post, and the owner has not agreed yet. `submitting`: the publishing call was sent,
 * and its answer is unknown.
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

/** Stages before any of the post is sent. */
export const UNPUBLISHED: readonly Stage[] = ["planning", "asking"];

/** `left`: the post still exists. `unknown`: it may exist. `forgotten`: the owner has dealt with it. */
export const OUTCOMES = ["nothing", "removed", "left", "unknown", "forgotten"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** What the caller does next. `stop`: the account has to be connected again first. */
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

export const seenBy = (
  audience: Audience,
  { seenByOwner = SEEN_BY.owner }: Pick<Rehearsal, "seenByOwner">,
): string => (audience === "owner" ? seenByOwner : SEEN_BY[audience]);

interface State {
  stage: Stage;
  outcome: Outcome | null;
  platformPostId: string | null;
}

/** Stages in which the post is or may be published. */
export const PUBLISHING: readonly Stage[] = ["submitting", "settling", "reading", "removing"];

export const mayBeOut = ({ stage, outcome }: Pick<State, "stage" | "outcome">): boolean =>
  PUBLISHING.includes(stage) || outcome === "left" || outcome === "unknown";

interface Described extends State {
  shareUrl: string | null;
  message: string | null;
  plan: { audience: Audience } | null;
}

type Ends = Pick<Connector, "rehearsal" | "removal">;

export const restByHand = ({ rehearsal, removal }: Ends): string =>
  rehearsal.byHand ?? removal.byHand;

export function describe(row: Described, connector: Ends & Pick<Connector, "name">): string {
  const { name, rehearsal } = connector;
  const { stage, outcome, shareUrl, platformPostId, plan } = row;
  const byHand = restByHand(connector);
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

/** The text differs every time, because networks refuse repeated texts. */
export function textOf(now: Date, mark: string, removal: Removal, note: string): string {
  const at = `${now.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const own = note === "" ? "" : ` ${note}`;
  return `Rehearsal of Akimbo, ${at} (${mark}).${PROMISES[removal]}${own}`;
}

/** Says why the login cannot delete the post. Empty when the API deletes no posts at all. */
export const whyItStays = ({ scope }: PostRemoval): string =>
  scope === undefined ? "" : `This login may not delete it: it lacks ${scope}.`;

/** What the owner has to do by hand; null for nothing. */
export const byHandOf = (
  { outcome, platformPostId }: Pick<State, "outcome" | "platformPostId">,
  connector: Ends,
): string | null => {
  const isDone = outcome === "removed" || (outcome === "nothing" && platformPostId === null);
  return isDone ? null : restByHand(connector);
};

/** Rehearsals of one account in 24 hours. */
export const MAX_A_DAY = 10;

/** Time during which the platform is asked whether the post was published. */
export const ASKED_FOR_SECONDS = 86_400;

/** Rehearsals without a remaining post are kept this long. */
export const ENDED_KEPT_MS = 30 * DAY;

/** Matches addresses with and without a protocol: networks turn both into links. */
const LINK = /:\/\/|[\p{L}\p{N}\p{M}]\.\p{L}[\p{L}\p{M}-]/u;

export const hasLink = (text: string): boolean => LINK.test(text);

/** After this many failed tries to delete it, the post is left. */
export const MAX_REMOVALS = 3;
