import { formatBytes, formatCount } from "../../core/counts.ts";
import type { DatabaseState } from "../health/rules.ts";
import { Section } from "./parts.tsx";

/** For the owner of the instance. */
export const DatabaseFill = ({ state }: { state: DatabaseState }) => (
  <Section id="database" title="Database of this instance">
    <p>
      It holds {formatBytes(state.sizeBytes)} of the {formatBytes(state.limitBytes)} that one
      database may have. {paceOf(state)}
    </p>
    <p class="muted">
      You get a notice at 70 and at 90 %. <a href="/docs/operate#ten-years">What to do then</a>
    </p>
  </Section>
);

function paceOf({ fullInDays: days }: DatabaseState): string {
  if (days === null) return "It does not grow, or has not been watched for a week yet.";
  if (days === 0) return "It is full: nothing can be written any more.";
  return `At the pace of the last weeks, it is full in ${days === 1 ? "a day" : `${formatCount(days)} days`}.`;
}
