import { AppError } from "../../core/errors.ts";
import { asSentence } from "../../core/text.ts";
import type { Connector } from "../../platforms/connector.ts";
import { besideOthers } from "../../platforms/consent.ts";
import { TEXT_FIELDS, type TextField } from "../../platforms/correction.ts";
import { connectorOf } from "../../platforms/registry.ts";
import type { UploadRow } from "../posts/table.ts";
import type { UploadEdit } from "./schema.ts";

type Correctable = Pick<UploadRow, "platform" | "metadata" | "unpublishedAt">;

export const scopeAdvice = ({
  platform,
  correction,
}: Pick<Connector, "platform" | "correction">): string =>
  correction.scope === undefined
    ? ""
    : ` Editing needs the permission ${correction.scope}: the owner of this instance adds it to the app and to APP_SCOPES, ${besideOthers(platform)}. Then the account is reconnected.`;

export function notEditable(
  { platform, metadata, unpublishedAt }: Correctable,
  reason: string,
): AppError {
  const shareUrl = metadata?.shareUrl ?? null;
  const place = shareUrl === null ? "" : ` It is at ${shareUrl} .`;
  const byHand = unpublishedAt ? "" : `${place} ${connectorOf(platform).correction.byHand}`;
  const message = `The post is published and cannot be edited: ${asSentence(reason)}${byHand}`;
  return new AppError("UPLOAD_LOCKED", message, { extras: { shareUrl } });
}

type Texts = Pick<UploadRow, TextField>;

export const changedTexts = (before: Texts, after: Texts): TextField[] =>
  TEXT_FIELDS.filter((field) => before[field] !== after[field]);

export const otherFields = (
  { title: _, description: __, status: ___, scheduledFor, ...others }: UploadEdit,
  row: Pick<UploadRow, "scheduledFor">,
): string[] => [
  ...(scheduledFor && scheduledFor.getTime() !== row.scheduledFor?.getTime()
    ? ["scheduledFor"]
    : []),
  ...Object.entries(others).flatMap(([field, value]) => (value === undefined ? [] : [field])),
];
