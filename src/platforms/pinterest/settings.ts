import { formatCount } from "../../core/counts.ts";
import { anyText, field, formFields, type SettingsOf } from "../kit/form-fields.ts";
import { capabilities } from "./capabilities.ts";

const { limits } = capabilities;

export const MAX_COVER_TIME_MS = 999_999_999;

/** `check` judges all fields: an error here would hide all settings and report a missing board. */
export const settings = formFields({
  pinterest_board_id: field(anyText, {
    label: "Board",
    type: "string",
    required: true,
    description: "Id of the board that the pin goes onto, in digits.",
  }),
  board_id: field(anyText, {
    type: "string",
    description: "Another name for pinterest_board_id.",
  }),
  link: field(anyText, {
    label: "Link",
    type: "string",
    maxLength: limits.linkCharacters,
    description: `The http or https address that the pin leads to, up to ${formatCount(limits.linkCharacters)} characters.`,
  }),
  alt_text: field(anyText, {
    type: "string",
    maxLength: limits.altTextCharacters,
    description: `Alt text for people who cannot see the pin; up to ${limits.altTextCharacters} characters.`,
  }),
  pinterest_cover_time_ms: field(anyText, {
    label: "Cover of the video, in milliseconds",
    type: "integer",
    minimum: 0,
    maximum: MAX_COVER_TIME_MS,
    description: "The moment of a video that is its cover, in ms; videos only. Default: 0.",
  }),
});

export type PinterestSettings = SettingsOf<typeof settings>;

export const boardOf = ({ pinterest_board_id, board_id }: PinterestSettings): string | null =>
  pinterest_board_id ?? board_id;

export const coverSeconds = ({
  pinterest_cover_time_ms: ms,
}: Pick<PinterestSettings, "pinterest_cover_time_ms">): number =>
  Math.round(Number(ms ?? 0) / 1_000);
