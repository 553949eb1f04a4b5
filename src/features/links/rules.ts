import { AppError } from "../../core/errors.ts";

/** Source: spec, "Short links", rule priority. */
export const MAX_PRIORITY = 1_000;
/** Spec is silent. */
export const MAX_RULES = 1_000;
/** Spec is silent. */
export const MAX_ITEMS = 250;
/** Each visit compares each referer. Spec is silent. */
export const MAX_REFERER_ITEMS = 1_000;

/**
 * A rule without a priority gets the highest so far plus one. A taken priority moves rules with equal and higher ones
 * up. Returns the highest first.
 *
 * Spec is silent: the first rule without a priority gets 0.
 */
export function withPriorities<R extends { priority?: number }>(
  rules: readonly R[],
): (R & { priority: number })[] {
  const placed: (R & { priority: number })[] = [];
  const taken = new Set<number>();
  let last = -1;
  for (const rule of rules) {
    const priority = rule.priority ?? last + 1;
    if (taken.has(priority)) {
      taken.clear();
      for (const other of placed) {
        if (other.priority >= priority) other.priority++;
        taken.add(other.priority);
      }
      last++;
    }
    placed.push({ ...rule, priority });
    taken.add(priority);
    last = Math.max(last, priority);
  }
  return placed.sort((a, b) => b.priority - a.priority);
}

export const slugTaken = (slug: string): AppError =>
  new AppError("SLUG_TAKEN", `The slug ${slug} is taken. Choose another, or leave it out.`);

/**
 * ISO 3166-1 alpha-2, and Cloudflare's XK for Kosovo.
 *
 * @see https://www.iso.org/obp/ui/#search/code/
 */
export const COUNTRIES: ReadonlySet<string> = new Set(
  (
    "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW " +
    "BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI " +
    "FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN " +
    "IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME " +
    "MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF " +
    "PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV " +
    "SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK " +
    "YE YT ZA ZM ZW"
  ).split(" "),
);
