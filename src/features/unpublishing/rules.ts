import { AppError } from "../../core/errors.ts";
import { asSentence } from "../../core/text.ts";
import { STATUS_WORDS } from "../../core/upload-status.ts";
import type { Actor } from "../../deps.ts";
import type { Connector } from "../../platforms/connector.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { requireMayEnd } from "../auth/rules.ts";
import { isOthersDecision } from "../posts/rules.ts";
import type { RemovedPost, UploadRow } from "../posts/table.ts";

type Author = Pick<Actor, "role" | "userId" | "needsApproval">;

/** Spec is silent: a member takes down own posts, an owner or admin all posts of the team. */
export const mayUnpublish = ({ role, userId }: Author, { createdBy }: UploadRow): boolean =>
  role !== "MEMBER" || createdBy === userId;

/** @throws AppError FORBIDDEN */
export function requireMayUnpublish(actor: Author, upload: UploadRow): void {
  if (!mayUnpublish(actor, upload)) {
    const message =
      "Only the person who made the post takes it down, or an owner or admin of the team. Ask one of them.";
    throw new AppError("FORBIDDEN", message);
  }
  if (actor.role === "MEMBER" && isOthersDecision(upload, actor))
    requireMayEnd(actor, "approvedPost");
}

/**
 * Returns the platform's ids of the post, last part first.
 *
 * @throws AppError UPLOAD_LOCKED while the post is being published, NOT_PUBLISHED
 */
export function publishedIds({ platform, status, metadata, parts }: UploadRow): string[] {
  if (status === "processing") {
    throw locked("The post is being published. Take it down once it is published.");
  }
  if (status !== "completed") {
    const message = `The post is ${STATUS_WORDS[status]}; only a published one can be taken down.`;
    throw new AppError("NOT_PUBLISHED", message);
  }
  if (!metadata?.videoId) {
    throw new AppError("NOT_PUBLISHED", "The platform gave no id of the post. Delete it there.");
  }
  const { followUps } = connectorOf(platform);
  // Comments that are no posts of their own go with the post.
  const deleted = (parts ?? []).flatMap(({ kind, platformPostId }) =>
    platformPostId && !(kind === "comment" && followUps?.comment) ? [platformPostId] : [],
  );
  return [...deleted.reverse(), metadata.videoId];
}

export const locked = (message: string): AppError => new AppError("UPLOAD_LOCKED", message);

type Subject = Pick<UploadRow, "metadata">;

export function notUnpublishable(
  { metadata }: Subject,
  { removal }: Pick<Connector, "removal">,
  reason: string,
): AppError {
  const shareUrl = metadata?.shareUrl ?? null;
  const place = shareUrl === null ? "" : ` It is at ${shareUrl} .`;
  const message = `${asSentence(reason)}${place} ${removal.byHand}`;
  return new AppError("NOT_UNPUBLISHABLE", message, { extras: { shareUrl } });
}

export const scopeAdvice = ({ scope }: Connector["removal"]): string =>
  scope === undefined
    ? ""
    : ` Deleting needs the permission ${scope}: the owner of this instance adds it to APP_SCOPES, then the account is reconnected.`;

export const whyImpossible = ({ name, removal }: Pick<Connector, "name" | "removal">): string =>
  removal.calls
    ? `This login of ${name} may not delete posts.${scopeAdvice(removal)}`
    : `${name} offers this app no way to delete posts.`;

export function messageOf(name: string, removals: readonly RemovedPost[]): string {
  const wasMissing = removals.length > 0 && removals.every(({ how }) => how === "missing");
  return wasMissing
    ? `${name} does not have the post any more, so it counts as taken down.`
    : `The post has been taken down from ${name}.`;
}
