import type { AppError, FieldError } from "../../core/errors.ts";
import { nullIfBlank } from "../../core/text.ts";
import { connectorOf } from "../../platforms/registry.ts";
import type { Refusal } from "../compose/bulk.ts";
import type { DraftContent } from "../drafts/table.ts";
import { controlName, hasOwnTitle, settingsOf } from "./content.ts";
import { type ShownAccount, type ShownError, withoutName } from "./view.ts";

const FILES = "mediaId";

/** Controls by fields of the API. */
const CONTROLS: Record<string, string> = {
  photo: FILES,
  video: FILES,
  file: FILES,
  media: FILES,
  mediaId: FILES,
  alt_text: FILES,
  thumbnail: "thumbnail",
  thumbnailMediaId: "thumbnail",
  schedule_date: "date",
  scheduledFor: "date",
  accounts: "accountId",
  accountId: "accountId",
  thread: "thread",
  thread_marks: "thread",
  first_comment: "first_comment",
};

type Own = "title" | "caption" | "first_comment";

/** The control of an account's own text, else of its platform's, else `shared`. */
function ownControl(
  { overrides }: DraftContent,
  { id, platform }: ShownAccount,
  field: Own,
  shared: string,
): string {
  const key = [id, platform].find((one) => overrides[one]?.[field] !== undefined);
  return key === undefined ? shared : `overrides.${key}.${field}`;
}

function textControl(content: DraftContent, account: ShownAccount | null, field: string): string {
  const written = nullIfBlank(content.description) === null && nullIfBlank(content.title) !== null;
  const shared = written ? "title" : "description";
  if (!account) return field === "title" ? "title" : shared;
  const connector = connectorOf(account.platform);
  const isTitle = field === "title" && hasOwnTitle(connector);
  return isTitle
    ? ownControl(content, account, "title", "title")
    : ownControl(content, account, "caption", shared);
}

export function controlOf(
  field: string,
  account: ShownAccount | null,
  content: DraftContent,
): string | null {
  if (["title", "description", "caption"].includes(field)) {
    return textControl(content, account, field);
  }
  if (field === "first_comment" && account) {
    return ownControl(content, account, "first_comment", field);
  }
  const known = Object.hasOwn(CONTROLS, field) ? CONTROLS[field] : undefined;
  if (known !== undefined) return known;
  if (field.endsWith("alt_text")) return FILES;
  if (!account) return null;
  const name = field === "board_id" ? "pinterest_board_id" : field;
  const setting = settingsOf(connectorOf(account.platform)).find((one) => one.name === name);
  return setting ? controlName(setting, account) : null;
}

/** Each refusal beside the control that it is about. */
export function toShown(
  refusals: readonly Refusal[],
  content: DraftContent,
  accounts: readonly ShownAccount[],
): ShownError[] {
  return refusals.flatMap(({ accountId, error, fields }): ShownError[] => {
    const account = accounts.find(({ id }) => id === accountId) ?? null;
    if (fields.length === 0) return [{ control: null, accountId, message: error }];
    return fields.map((one) => ({
      control: controlOf(one.field, account, content),
      accountId,
      message: withoutName(one),
    }));
  });
}

export function errorsOf(error: AppError): FieldError[] {
  const errors = (error.extras.errors ?? []) as FieldError[];
  return errors.length > 0 ? errors : [{ field: "", message: error.message }];
}
