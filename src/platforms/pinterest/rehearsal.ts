import { ok, type Result, refuse } from "../../core/result.ts";
import type { Stopped } from "../connector.ts";
import { failed } from "../kit/refusals.ts";
import type { RehearsalPlan } from "../rehearsal.ts";
import type { AccountCall } from "../removal.ts";
import { boards } from "./boards.ts";

const NO_BOARD =
  "The account has no board. Make a secret board at Pinterest, and give this app the permissions for secret boards.";

/** Only pins on secret or protected boards are hidden. */
export async function plan({
  fetch,
  accessToken,
}: AccountCall): Promise<Result<RehearsalPlan, Stopped>> {
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
