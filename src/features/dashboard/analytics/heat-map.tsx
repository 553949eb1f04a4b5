import { plural } from "../../../core/counts.ts";
import type { Part } from "../../analytics/period.ts";
import { shown } from "./chart.tsx";
import { hourName, WEEK, WEEKDAYS } from "./tables.ts";

const LEVELS = 5;

const hourSpan = (hour: number): string => `${hourName(hour)} to ${hourName((hour + 1) % 24)}`;

/** What the sample says, and how much it is worth. */
export function hoursInWords({ figures }: Part): string {
  const { sampleSize, minSamples, bestDay, bestHours, timezone } = figures.postingInsights;
  if (sampleSize === 0) return "No post's views were measured so far, so no hour can be compared.";
  const sample = `${plural(sampleSize, "post")} with measured views, in the time of ${timezone}.`;
  if (!bestDay && bestHours.length === 0) {
    return `${sample} That is too few: a weekday or an hour is compared from ${minSamples} posts on.`;
  }
  const day = bestDay
    ? ` Posts of ${WEEKDAYS[bestDay.weekday]} were viewed most, ${shown(bestDay.avgViews)} times on average of ${plural(bestDay.posts, "post")}.`
    : "";
  const hours =
    bestHours.length > 0
      ? ` The best hours were ${bestHours.map(({ hour, avgViews, posts }) => `${hourSpan(hour)} (${shown(avgViews)} views on average of ${plural(posts, "post")})`).join(", ")}.`
      : "";
  return `${sample}${day}${hours} A weekday or an hour is compared from ${minSamples} posts on.`;
}

export const HeatMap = ({ part }: { part: Part }) => {
  const { grid } = part;
  const ranked = grid.flat().filter((cell) => cell.ranked);
  const highest = Math.max(1, ...ranked.map(({ avgViews }) => avgViews));
  const few = grid.flat().filter(({ posts, ranked }) => posts > 0 && !ranked).length;
  const label = `Average views by weekday and hour: ${plural(ranked.length, "hour")} with enough posts, ${few} with too few. The table has them all.`;
  return (
    <>
      <div class="heat">
        <div class="weekdays" aria-hidden="true">
          {WEEK.map((weekday) => (
            <span>{WEEKDAYS[weekday]?.slice(0, 3)}</span>
          ))}
        </div>
        <svg viewBox="0 0 24 7" preserveAspectRatio="none" role="img" aria-label={label}>
          {WEEK.flatMap((weekday, row) =>
            (grid[weekday] ?? []).map(({ posts, avgViews, ranked }, hour) => (
              <rect
                class={
                  posts === 0
                    ? "no"
                    : ranked
                      ? `h${Math.min(LEVELS - 1, Math.floor((avgViews / highest) * LEVELS))}`
                      : "few"
                }
                x={hour + 0.06}
                y={row + 0.06}
                width="0.88"
                height="0.88"
              />
            )),
          )}
        </svg>
        <div class="hours" aria-hidden="true">
          {[0, 6, 12, 18].map((hour) => (
            <span>{hourName(hour)}</span>
          ))}
        </div>
      </div>
      <ul class="legend">
        <li>
          <span class="swatch no"></span>No post
        </li>
        <li>
          <span class="swatch few"></span>Too few posts
        </li>
        <li>
          <span class="swatch h0"></span>Few views
        </li>
        <li>
          <span class="swatch h4"></span>Most views
        </li>
      </ul>
    </>
  );
};
