import { emptyIfBlank } from "../../core/text.ts";
import type { Post } from "../connector.ts";

type Texts = Pick<Post, "title" | "description">;

/** The text of a post where a title alone is one too. */
export const postText = ({ title, description }: Texts): string =>
  emptyIfBlank(description) || emptyIfBlank(title);

/** The form's field that `postText` comes from. */
export const postTextField = ({ title, description }: Texts): "title" | "description" =>
  emptyIfBlank(description) === "" && emptyIfBlank(title) !== "" ? "title" : "description";
