const REFERENCES: Record<string, string> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&apos;": "'",
  "&amp;": "&",
};

/** The text of a post, which servers answer as HTML. */
export const shownText = (html: string): string =>
  html
    .replace(/<br ?\/?>|<\/p>/gi, "\n")
    .replace(/<[^>]*>/g, "")
    .replace(/&(?:lt|gt|quot|apos|#39|amp);/g, (reference) => REFERENCES[reference] ?? reference);

/** Servers show handles without their server, and some read Markdown: letters and digits are compared. */
export const bareLetters = (text: string): string =>
  text.replace(/(@[\w.-]+)@[\p{L}\p{N}.-]+/giu, "$1").replace(/[^\p{L}\p{N}]+/gu, "");
