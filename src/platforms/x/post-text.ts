import { emptyIfBlank } from "../../core/text.ts";
import type { Post } from "../connector.ts";

/** The title, or the description when it is blank. */
export const textOf = ({ title, description }: Pick<Post, "title" | "description">): string =>
  emptyIfBlank(title) || emptyIfBlank(description);
