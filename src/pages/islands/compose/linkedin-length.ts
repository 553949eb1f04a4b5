import { escapeLittleText } from "../../../platforms/linkedin/little-text.ts";
import { withoutMarks } from "../../../platforms/linkedin/styling.ts";

const ENOUGH = 3_000;

/** As LinkedIn is sent the text. A text that is too long anyway is not escaped, which is slow. */
export function linkedInLength(text: string): number {
  const bare = withoutMarks(text);
  return bare.length > ENOUGH ? bare.length : escapeLittleText(bare).length;
}
