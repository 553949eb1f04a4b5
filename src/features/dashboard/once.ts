import type { Context } from "hono";
import type { NamedCall } from "../../core/idempotency-key.ts";
import { FORM_KEY } from "../../pages/team-form.tsx";

/** The call of a form that makes something: pressed twice, it makes one. Null for a form without a key. */
export function formCall({ req }: Context): NamedCall | null {
  const key = req.query(FORM_KEY) ?? "";
  return /^[0-9a-f]{32}$/.test(key) ? { route: `POST ${req.path}`, key } : null;
}
