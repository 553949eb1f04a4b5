import { DAY } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { forgetConsents } from "./repo/consents.ts";
import { forgetLinks } from "./repo/links.ts";
import { LINKS_KEPT_MS } from "./rules.ts";

const SLICE = 500;

/** How long the page of an ended attempt shows its result. */
const KEPT_MS = DAY;

export async function forgetOldConsents({ db, now }: Deps): Promise<string | null> {
  const before = new Date(now().getTime() - KEPT_MS);
  const [removed] = await db.run([forgetConsents({ before, max: SLICE })]);
  return removed === SLICE ? "more" : null;
}

export async function forgetEndedLinks({ db, now }: Deps): Promise<string | null> {
  const before = new Date(now().getTime() - LINKS_KEPT_MS);
  const [removed] = await db.run([forgetLinks({ before, max: SLICE })]);
  return removed === SLICE ? "more" : null;
}
