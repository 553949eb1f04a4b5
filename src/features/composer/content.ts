import type { Platform } from "../../core/platforms.ts";
import type { Connector } from "../../platforms/connector.ts";
import type { FieldInfo } from "../../platforms/kit/form-fields.ts";
import { connectors } from "../../platforms/registry.ts";
import type { DraftContent, When } from "../drafts/table.ts";

export const EMPTY_CONTENT: DraftContent = {
  accountIds: [],
  title: "",
  description: "",
  fields: {},
  overrides: {},
  thread: [],
  firstComment: "",
  media: [],
  thumbnailMediaId: null,
  when: { kind: "now", at: "", poolId: null },
};

export const WHENS = ["now", "at", "pool", "draft", "approval", "review"] as const satisfies When[];

export const OVERRIDES = ["title", "caption", "first_comment"] as const;

/** Texts about single files stand with the files, and other names of a setting with that setting. */
const LEFT_OUT = [
  "alt_text",
  "x_alt_text",
  "threads_alt_text",
  "bluesky_alt_text",
  "board_id",
  "madeForKids",
];

const infosOf = ({ settings }: Connector): Record<string, FieldInfo> => settings.infos;

const isShared = (name: string): boolean =>
  connectors().filter((one) => infosOf(one)[name] !== undefined).length > 1;

/** What the platform answers differently for each of its accounts. */
const OF_ACCOUNT: Partial<Record<Platform, (name: string) => boolean>> = {
  tiktok: () => true,
  pinterest: (name) => name === "pinterest_board_id",
};

export interface Setting {
  name: string;
  info: FieldInfo;
  isOfAccount: boolean;
}

export const settingsOf = (connector: Connector): Setting[] =>
  Object.entries(infosOf(connector))
    .filter(([name]) => !LEFT_OUT.includes(name))
    .map(([name, info]) => ({
      name,
      info,
      isOfAccount: OF_ACCOUNT[connector.platform]?.(name) ?? false,
    }));

/** The name of a setting's control: alone, or behind the platform or account that it is for. */
export function controlName(
  { name, isOfAccount }: Pick<Setting, "name" | "isOfAccount">,
  { id, platform }: { id: string; platform: Platform },
): string {
  if (isOfAccount) return `${id}.${name}`;
  return isShared(name) ? `${platform}.${name}` : name;
}

export const idOf = (control: string): string => control.replaceAll(".", "-");

/** `owner`: a platform or account; null for a setting that stands alone. */
export function readName(control: string): { owner: string | null; name: string } {
  const dot = control.indexOf(".");
  return dot === -1
    ? { owner: null, name: control }
    : { owner: control.slice(0, dot), name: control.slice(dot + 1) };
}

/** The platform publishes a title besides its text. */
export function hasOwnTitle({ capabilities }: Connector): boolean {
  const { limits, textField } = capabilities;
  if (textField === "description")
    return capabilities.needsTitle === true || limits.titleCharacters !== null;
  return limits.titleCharacters !== null && limits.titleCharacters !== limits.postCharacters;
}

export const takes = ({ followUps }: Connector, kind: "post" | "comment"): boolean =>
  followUps?.kinds.includes(kind) ?? false;

/** Nothing that a platform could refuse is written yet. */
export const isBlank = ({ title, description, thread, firstComment, media }: DraftContent) =>
  media.length === 0 &&
  [title, description, firstComment, ...thread.map(({ text }) => text)].every(
    (text) => text.trim() === "",
  );
