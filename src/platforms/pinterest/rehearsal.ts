import { ok, type Result, refuse } from "../../core/result.ts";
import type { Stopped } from "../connector.ts";
import { failed } from "../kit/refusals.ts";
import { MISSING, seen } from "../kit/rehearsals.ts";
import type { ReadBack, RehearsalCall, RehearsalPlan, Removed } from "../rehearsal.ts";
import { deletePinRequest, getPinRequest, readDoneReply, readGetPinReply } from "./api.ts";
import { boards } from "./boards.ts";
import { toRefused } from "./failures.ts";

const NO_BOARD =
  "The account has no board. Make a secret board at Pinterest, and give this app the permissions for secret boards.";

/** Only pins on secret or protected boards are hidden. */
export async function plan({
  fetch,
  accessToken,
}: RehearsalCall): Promise<Result<RehearsalPlan, Stopped>> {
  const list = await boards(fetch, accessToken);
  if (!list.ok) return list;
  const secret = list.value.find(({ privacy }) => privacy === "SECRET");
  const board = secret ?? list.value[0];
  if (!board) return refuse(failed("unknown", NO_BOARD));
  return ok({
    audience: secret ? "owner" : "everyone",
    settings: { pinterest_board_id: board.id },
    sample: "image",
  });
}

const NOT_FOUND = 404;

export async function readBack(
  { fetch, accessToken, now }: RehearsalCall,
  id: string,
): Promise<Result<ReadBack, Stopped>> {
  const reply = await readGetPinReply(await fetch(getPinRequest(accessToken, id)));
  if (reply.ok) return seen();
  return reply.error.status === NOT_FOUND ? MISSING : refuse(toRefused(reply.error, now()));
}

export async function remove(
  { fetch, accessToken, now }: RehearsalCall,
  id: string,
): Promise<Result<Removed, Stopped>> {
  const reply = await readDoneReply(await fetch(deletePinRequest(accessToken, id)));
  if (reply.ok) return ok("deleted");
  if (reply.error.status === NOT_FOUND) return ok("missing");
  return refuse(toRefused(reply.error, now()));
}
