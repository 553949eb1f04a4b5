import { nullIfBlank } from "../../core/text.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { withOwnMentions } from "../content/as-published.ts";
import type { UploadRow } from "../posts/table.ts";
import type { UploadEdit } from "./schema.ts";

export const writtenIn = ({ title, description, thread, first_comment }: UploadEdit) => [
  title,
  description,
  JSON.stringify(thread),
  first_comment,
];

export function editedTexts(
  row: UploadRow,
  { title, description }: UploadEdit,
): Pick<UploadRow, "title" | "description"> {
  const { mentions } = connectorOf(row.platform);
  const own = (text: string | null) => nullIfBlank(withOwnMentions(mentions, text));
  return {
    title: title === undefined ? row.title : own(title),
    description: description === undefined ? row.description : own(description),
  };
}
