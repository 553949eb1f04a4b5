import { addDays, type LocalDay, type ZoneClock } from "../../../core/zone.ts";
import {
  BOT,
  type ClicksByRule,
  clicksByDay,
  clicksByRule,
  clicksOfBots,
  countsOf,
  type LinkOnPage,
  type linkPageQueries,
  type StoredRule,
} from "../../links/own.ts";
import { countryName, DEVICE_WORDS, RULE_WORDS, wordOf } from "./words.ts";

type Days = ReturnType<ReturnType<typeof linkPageQueries>[1]["read"]>;

interface ClicksProps {
  link: LinkOnPage;
  days: Days;
  zone: ZoneClock;
  today: LocalDay;
  count: number;
}

const LONG = new Intl.DateTimeFormat("en-GB", {
  weekday: "short",
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});

const nameOfDay = (day: LocalDay): string => LONG.format(new Date(`${day}T00:00:00Z`));
const number = (value: number): string => value.toLocaleString("en");
const inWords = (clicks: number): string => (clicks === 1 ? "1 click" : `${number(clicks)} clicks`);

export const Clicks = ({ link, days, zone, today, count }: ClicksProps) => {
  const byDay = clicksByDay(days, zone);
  const shown = Array.from({ length: count }, (_, i) => addDays(today, i + 1 - count)).map(
    (day) => ({ day, clicks: byDay.get(day) ?? 0 }),
  );
  const total = shown.reduce((sum, { clicks }) => sum + clicks, 0);
  const bots = clicksOfBots(days);
  return (
    <>
      <Chart shown={shown} total={total} />
      {bots > 0 && <p>Beside them, {inWords(bots)} of bots. No figure here includes these.</p>}
      {total > 0 && (
        <div class="shares">
          <Shares title="By country" of="Country" rows={countriesOf(days)} />
          <Shares title="By device" of="Device" rows={devicesOf(days)} />
          {link.rules.length > 0 && (
            <Shares
              title="By rule"
              of="Rule"
              rows={rulesOf(clicksByRule(days, link.rules), link.rules)}
            />
          )}
        </div>
      )}
      <p class="muted">
        Days begin at midnight in {zone.zone}. Bots are recognized by their user agent; the total in
        the list of links includes them. Bots that the link sends to another address, and those that
        read its preview, are not counted at all. Languages and referring pages are not stored.
      </p>
    </>
  );
};

const WIDTH = 600;
const HEIGHT = 120;

interface ChartProps {
  shown: readonly { day: LocalDay; clicks: number }[];
  total: number;
}

const Chart = ({ shown, total }: ChartProps) => {
  const most = shown.reduce((best, one) => (one.clicks > best.clicks ? one : best));
  const step = WIDTH / shown.length;
  const first = shown[0]?.day ?? "";
  const last = shown.at(-1)?.day ?? "";
  const sentence =
    total === 0
      ? `No clicks in the last ${shown.length} days.`
      : `${inWords(total)} in the last ${shown.length} days, most of them on ${nameOfDay(most.day)}: ${number(most.clicks)}.`;
  if (total === 0) return <p>{sentence}</p>;
  return (
    <div>
      <p>{sentence}</p>
      <svg
        class="bars"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={sentence}
      >
        {shown.map(({ day, clicks }, i) => {
          const height = clicks === 0 ? 1.5 : Math.max(3, (clicks / most.clicks) * HEIGHT);
          return (
            <rect
              class={clicks === 0 ? "none" : undefined}
              x={(i * step + step * 0.1).toFixed(1)}
              y={(HEIGHT - height).toFixed(1)}
              width={(step * 0.8).toFixed(1)}
              height={height.toFixed(1)}
            >
              <title>
                {nameOfDay(day)}: {inWords(clicks)}
              </title>
            </rect>
          );
        })}
      </svg>
      <p class="axis muted" aria-hidden="true">
        <span>{nameOfDay(first)}</span>
        <span>{nameOfDay(last)}</span>
      </p>
      <details>
        <summary>The figures</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col" class="number">
                Clicks
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.toReversed().map(({ day, clicks }) => (
              <tr>
                <td>
                  <time datetime={day}>{nameOfDay(day)}</time>
                </td>
                <td class="number">{number(clicks)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </div>
  );
};

type Row = [name: string, clicks: number];

const MAX_ROWS = 10;

function topOf(rows: Row[], others: string): Row[] {
  if (rows.length <= MAX_ROWS) return rows;
  const rest = rows.slice(MAX_ROWS - 1).reduce((sum, [, clicks]) => sum + clicks, 0);
  return [...rows.slice(0, MAX_ROWS - 1), [others, rest]];
}

const countriesOf = (days: Days): Row[] =>
  topOf(
    countsOf(days.map(({ countries }) => countries)).map(([code, clicks]) => [
      code === "" ? "Unknown" : countryName(code),
      clicks,
    ]),
    "Other countries",
  );

const devicesOf = (days: Days): Row[] =>
  countsOf(days.map(({ devices }) => devices))
    .filter(([device]) => device !== BOT)
    .map(([device, clicks]) => [wordOf(DEVICE_WORDS, device), clicks]);

function rulesOf(counts: ClicksByRule, rules: readonly StoredRule[]): Row[] {
  const own = rules.map(
    (rule, i): Row => [`Rule ${i + 1}: ${RULE_WORDS[rule.type]}`, counts.rules[i] ?? 0],
  );
  const others: Row[] = [
    ["No rule", counts.default],
    ["Rules that the link had", counts.former],
    ["Before rules were counted", counts.unknown],
  ];
  const shown =
    own.length <= MAX_ROWS
      ? own
      : topOf(
          own.sort(([, a], [, b]) => b - a),
          "Other rules",
        );
  return [...shown, ...others.filter(([, clicks], i) => i === 0 || clicks > 0)];
}

const Shares = ({ title, of, rows }: { title: string; of: string; rows: readonly Row[] }) => {
  const most = Math.max(1, ...rows.map(([, clicks]) => clicks));
  return (
    <table>
      <caption>{title}</caption>
      <thead class="hidden">
        <tr>
          <th scope="col">{of}</th>
          <th scope="col">Share</th>
          <th scope="col">Clicks</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, clicks]) => (
          <tr>
            <td>{name}</td>
            <td>
              <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                <rect x="0" y="0" width={((clicks / most) * 100).toFixed(1)} height="10" />
              </svg>
            </td>
            <td>{number(clicks)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};
