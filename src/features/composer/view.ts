import type { FieldError } from "../../core/errors.ts";
import type { Platform } from "../../core/platforms.ts";
import type { Actor } from "../../deps.ts";
import type { Clock } from "../../pages/times.tsx";
import { connectorOf } from "../../platforms/registry.ts";
import { accountRefusal } from "../accounts/rules.ts";
import type { AccountRow } from "../accounts/table.ts";
import type { Block } from "../blocks/rules.ts";
import type { Notice } from "../dashboard/parts.tsx";
import type { ListedDraft } from "../drafts/repo.ts";
import type { DraftContent } from "../drafts/table.ts";
import type { MediaRow } from "../media/repo.ts";
import type { LookUps } from "./look-ups.ts";

export type ShownAccount = Pick<
  AccountRow,
  | "id"
  | "platform"
  | "accountName"
  | "handle"
  | "status"
  | "mode"
  | "profileImageUrl"
  | "serverLimits"
> & { tags: string[]; refusal: string | null };

export interface ShownFile
  extends Pick<MediaRow, "sha256" | "kind" | "mime" | "name" | "sizeBytes" | "width" | "height"> {
  thumbnail: string | null;
  /** Of a video, for a script that shows its frames. */
  address: string | null;
}

/** `control`: the name of the control beside which it stands; null for the whole form. */
export interface ShownError {
  control: string | null;
  /** The account that it is about. */
  accountId: string | null;
  message: string;
}

export interface View {
  actor: Actor;
  clock: Clock;
  accounts: readonly ShownAccount[];
  pools: readonly { id: number; name: string }[];
  blocks: readonly Block[];
  drafts: readonly ListedDraft[];
  files: ReadonlyMap<string, ShownFile>;
  content: DraftContent;
  draft: { id: number; version: number } | null;
  key: string;
  /** The post that is edited. */
  upload: EditedPost | null;
  errors: readonly ShownError[];
  notice: Notice | null;
  /** After a conflict, the draft can be kept as a new one. */
  isConflict: boolean;
  /** Some accounts can take the post that others refuse. */
  acceptedCount: number;
  lookUps: LookUps;
  /** The errors are what a sending would refuse. */
  isPreview: boolean;
}

export interface EditedPost {
  id: number;
  platform: Platform;
  accountName: string;
  scheduledFor: Date | null;
}

export const isChosen = ({ content }: View, { id }: { id: string }): boolean =>
  content.accountIds.includes(id);

export const platformsOf = ({ accounts }: Pick<View, "accounts">): Platform[] => [
  ...new Set(accounts.map(({ platform }) => platform)),
];

export const accountsOn = ({ accounts }: View, platform: Platform): ShownAccount[] =>
  accounts.filter((account) => account.platform === platform);

export const errorsAt = ({ errors }: View, control: string): ShownError[] =>
  errors.filter((error) => error.control === control);

export const namesWhere = (
  view: View,
  holds: (connector: ReturnType<typeof connectorOf>) => boolean,
): string =>
  platformsOf(view)
    .map(connectorOf)
    .filter(holds)
    .map(({ name }) => name)
    .join(", ");

export const withoutName = ({ field, message }: FieldError): string => {
  const text = message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
  return text.charAt(0).toUpperCase() + text.slice(1);
};

export const shownAccount = (
  account: AccountRow,
  config: { sandboxEnabled: boolean },
): ShownAccount => ({
  ...account,
  tags: account.tags.split(",").filter(Boolean),
  refusal: accountRefusal(account, config),
});

export const nameOfAccount = ({
  platform,
  accountName,
}: Pick<ShownAccount, "platform" | "accountName">): string =>
  `${accountName} on ${connectorOf(platform).name}`;
