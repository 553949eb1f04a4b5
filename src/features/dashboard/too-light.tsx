import type { Child } from "hono/jsx";
import { type Colour, contrastToWhite, MIN_CONTRAST } from "../links/own.ts";

interface Props {
  colour: Colour;
  /** What to do instead. */
  children: Child;
}

/** Says of a colour in which cameras cannot tell a QR code from its white, and nothing of others. */
export const TooLight = ({ colour, children }: Props) => {
  const ratio = contrastToWhite(colour);
  if (ratio >= MIN_CONTRAST) return null;
  return (
    <p class="notice bad" role="status">
      A QR code in this colour is too light to be scanned: its contrast to white is{" "}
      {ratio.toFixed(1)} : 1, and {MIN_CONTRAST} : 1 is needed. Choose a darker one{children}.
    </p>
  );
};
