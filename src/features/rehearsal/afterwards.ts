import { asSentence } from "../../core/text.ts";
import type { Credentials } from "../../platforms/login.ts";
import { removalOf } from "../../platforms/rehearsal.ts";
import type { PostRemoval } from "../../platforms/removal.ts";
import { createCall } from "../logins/platform-access.ts";
import { MAX_REMOVALS, type Outcome, restByHand, whyItStays } from "./rules.ts";
import {
  answerOf,
  type Expired,
  end,
  LOOK_AGAIN_SECONDS,
  messageOf,
  NO_ANSWER,
  type Stand,
  type Turn,
  turn,
} from "./stand.ts";
import type { RehearsalRow } from "./table.ts";

export async function readBack(stand: Stand, credentials: Credentials): Promise<Turn | Expired> {
  const { deps, connector, account, row } = stand;
  const { rehearsal, removal, name } = connector;
  const id = row.platformPostId ?? "";
  const call = createCall(deps, account, credentials);
  const reply = await answerOf(stand, () => rehearsal.readBack(call, id));
  const isDraft = rehearsal.draftId !== undefined;
  const canDelete = removalOf(connector, call.account) !== "impossible";
  const then = (note: string, wasSeen = false): Turn => {
    if (isDraft)
      return turn({ stage: "over", outcome: "nothing", message: restByHand(connector) }, note);
    if (removal.calls && canDelete) return turn({ stage: "removing", wasSeen }, note);
    return turn({ stage: "over", outcome: "left", message: whyItStays(removal) || null }, note);
  };
  if ("kind" in reply) return then(`The post could not be read back: ${asSentence(reply.message)}`);
  if (!reply.ok) {
    const { error } = reply;
    if (error.kind === "token_expired") return error.kind;
    return then(`The post could not be read back: ${asSentence(messageOf(error))}`);
  }
  const { isThere, visibility } = reply.value;
  if (!isThere) return then(`${name} does not show the post to this login.`);
  return then(`Read back${visibility === null ? "" : `: ${name} says ${visibility}`}.`, true);
}

/** Platforms do not say which permission a login lacks. */
const whyNotDeleted = ({ scope }: PostRemoval, refusal: string): string => {
  const needed = scope ? ` Deleting needs the permission ${scope}.` : "";
  return `It could not be deleted: ${asSentence(refusal)}${needed}`;
};

export async function remove(stand: Stand, credentials: Credentials): Promise<Turn | Expired> {
  const { deps, connector, account, row } = stand;
  const { rehearsal, removal, name } = connector;
  const id = row.platformPostId ?? "";
  const call = createCall(deps, account, credentials);
  const reply = await answerOf(stand, async () => removal.calls?.remove(call, id));
  if (reply === undefined) return end("left", null);
  if ("ok" in reply && reply.ok) {
    const isGone = reply.value === "deleted" || row.wasSeen;
    return isGone ? removed("Deleted.") : tryAgain(row, `${name} does not show it.`, "unknown");
  }
  const stopped = "ok" in reply ? reply.error : null;
  if (stopped?.kind === "token_expired") return stopped.kind;
  const isWorthTrying = stopped === null || stopped.transient;
  const seen =
    isWorthTrying && row.wasSeen
      ? await answerOf(stand, () => rehearsal.readBack(call, id))
      : undefined;
  if (seen && "ok" in seen && seen.ok && !seen.value.isThere) {
    return removed(`${name} no longer has it.`);
  }
  const message = whyNotDeleted(removal, stopped ? messageOf(stopped) : `${name} ${NO_ANSWER}`);
  return isWorthTrying ? tryAgain(row, message, "left") : left(row, message, "left");
}

const removed = (note: string): Turn =>
  turn({ stage: "over", outcome: "removed", message: null }, note);

const left = ({ removals }: RehearsalRow, message: string, outcome: Outcome): Turn =>
  turn({ stage: "over", outcome, removals: removals + 1, message }, message);

/** `unknown`: a post that this login never saw may exist although the platform does not show it. */
function tryAgain(row: RehearsalRow, message: string, outcome: Outcome): Turn {
  const removals = row.removals + 1;
  if (removals >= MAX_REMOVALS) return left(row, message, outcome);
  return turn({ removals, message }, message, LOOK_AGAIN_SECONDS);
}
