import { textField } from "../../http/pages.tsx";

const FIELD = "seenAt";

/** The version that the form shows, so that a save over a newer one is refused. */
export const SeenVersion = ({ at }: { at: Date }) => (
  <input type="hidden" name={FIELD} value={String(at.getTime())} />
);

/** Null for a form that names no version. */
export function readSeen(form: FormData): Date | null {
  const text = textField(form, FIELD);
  return /^\d{1,15}$/.test(text) ? new Date(Number(text)) : null;
}
