import type { Page } from "./person.ts";

/** The hidden fields of a form of a review page: those of a post's decision, or those of all. */
export function decisionFields(
  { html }: Page,
  decision: string,
  id?: number,
): Record<string, string> {
  const forms = html.split("<form").map((text) => text.split("</form>")[0] ?? "");
  for (const text of forms) {
    const inputs = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    const fields = Object.fromEntries(inputs.map(([, name, value]) => [name, value]));
    const isWanted = id === undefined || fields.post === String(id);
    if (fields.decision === decision && isWanted) return fields;
  }
  throw new Error(`There is no form for ${decision}.`);
}
