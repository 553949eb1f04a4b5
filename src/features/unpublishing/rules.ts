import { AppError } from "../../core/errors.ts";
import { asSentence } from "../../core/text.ts";
import { STATUS_WORDS } from "../../core/upload-status.ts";
import type { Actor } from "../../deps.ts";
import type { Connector } from "../../platforms/connector.ts";
import { besideOthers } from "../../platforms/consent.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { requireOneOf } from "../auth/rules.ts";
import type { RemovedPost, UploadRow } from "../posts/table.ts";

export const mayUnpublish = ({ role }: Pick<Actor, "role">): boolean => role !== "MEMBER";

/** @throws AppError FORBIDDEN */
export function requireMayUnpublish(actor: Actor): void {
  const message = "Only an owner or admin of the team takes posts down. Ask one of them.";
  requireOneOf(actor, ["OWNER", "ADMIN"], message);
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

export const scopeAdvice = ({
  platform,
  removal,
}: Pick<Connector, "platform" | "removal">): string =>
  removal.scope === undefined
    ? ""
    : ` Deleting needs the permission ${removal.scope}: the owner of this instance adds it to the app and to APP_SCOPES, ${besideOthers(platform)}. Then the account is reconnected.`;

export const whyImpossible = (
  connector: Pick<Connector, "platform" | "name" | "removal">,
): string =>
  connector.removal.calls
    ? `This login of ${connector.name} may not delete posts.${scopeAdvice(connector)}`
    : `${connector.name} offers this app no way to delete posts.`;

export function messageOf(name: string, removals: readonly RemovedPost[]): string {
  const wasMissing = removals.length > 0 && removals.every(({ how }) => how === "missing");
  return wasMissing
    ? `${name} does not have the post any more, so it counts as taken down.`
    : `The post has been taken down from ${name}.`;
}
