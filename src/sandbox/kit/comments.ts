import { now } from "../../core/clock.ts";
import type { Sandbox } from "./simulator.ts";
import { type SteeredRefusals, steer } from "./steered.ts";
import type { Reply } from "./steering.ts";
import { comments, type SavedComment } from "./store.ts";

type NewComment = Omit<SavedComment, "team_id" | "created_at">;

/**
 * Its words steer a comment apart from its post.
 *
 * @throws Refusal when the text requests a failure
 */
export function saveComment(
  { store, origin }: Sandbox,
  refusals: SteeredRefusals,
  { token, ...comment }: NewComment & { token: string },
): { reply: Reply; comment: SavedComment } {
  const { platform, post_key, text } = comment;
  const apart = { store, origin: { ...origin, uploadId: null } };
  const key = `comment ${platform}/${post_key} ${text}`;
  const reply = steer(apart, refusals, { key, text, token });
  const saved = { ...comment, team_id: origin.teamId, created_at: now().getTime() };
  comments.insert(store, saved);
  return { reply, comment: saved };
}
