import type { DayFigures } from "../../analytics/period.ts";
import { areaPath, gapsOf, HEIGHT, linePath, scaleOf } from "./scale.ts";
import { amountOf, capital, type Drawn, dayTable, type Measure, type Table } from "./tables.ts";

const numbers = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 2 });
export const shown = (amount: number): string => numbers.format(amount);

const compact = new Intl.NumberFormat("en-GB", { notation: "compact", maximumFractionDigits: 1 });

const days = new Intl.DateTimeFormat("en-GB", {
  ...{ day: "numeric", month: "short", year: "numeric", timeZone: "UTC" },
});
const DAY_MS = 86_400_000;
export const dayName = (day: number): string => days.format(new Date(day * DAY_MS));

const UNMEASURED = "not measured";

interface TableProps {
  table: Table;
  /** Null for a table that leads nowhere. */
  csv: string | null;
}

export const DataTable = ({ table, csv }: TableProps) => (
  <>
    <section class="scroll" tabindex={0} aria-label={table.caption}>
      <table class="data">
        <caption>{table.caption}</caption>
        <thead>
          <tr>
            {table.head.map((name) => (
              <th scope="col">{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map(([name, ...cells], i) => (
            <tr>
              <th scope="row">
                {csv !== null && table.links?.[i] ? <a href={table.links[i]}>{name}</a> : name}
              </th>
              {cells.map((cell) =>
                cell === null ? <td class="none">{UNMEASURED}</td> : <td>{cell}</td>,
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
    {csv !== null && (
      <p>
        <a href={csv}>
          Download as CSV<span class="hidden">: {table.caption}</span>
        </a>
      </p>
    )}
  </>
);

export const FoldedTable = ({ table, csv }: TableProps) => (
  <details>
    <summary>Table: {table.caption}</summary>
    <DataTable table={table} csv={csv} />
  </details>
);

const sumOf = (values: readonly (number | null)[]): number | null => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
};

function lineInWords(measure: Measure, line: readonly DayFigures[], isTotal: boolean): string {
  const values = line.map((day) => amountOf(day, measure));
  const known = values.filter((value) => value !== null);
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return UNMEASURED;
  if (isTotal) return `from ${shown(first)} to ${shown(last)}`;
  const highest = Math.max(...known);
  const day = line[values.indexOf(highest)]?.day ?? 0;
  const peak = highest > 0 ? `, most on ${dayName(day)} with ${shown(highest)}` : "";
  return `${shown(sumOf(values) ?? 0)} in all${peak}`;
}

/** Says in a sentence what the chart shows, for people who cannot see it. */
function inWords(measure: Measure, { unit, isTotal, lines }: Drawn): string {
  const [first] = lines;
  const length = first?.days.length ?? 0;
  const gaps = gapsOf(lines.map(({ days }) => days.map((day) => amountOf(day, measure))));
  const missing = gaps.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const told = lines.map(({ name, days }) => {
    const words = lineInWords(measure, days, isTotal ?? measure === "followers");
    return name === "" ? words : `${name} ${words}`;
  });
  const unmeasured =
    missing > 0 && missing < length ? ` ${missing} ${unit}s were not measured.` : "";
  const from = dayName(first?.days[0]?.day ?? 0);
  const until = dayName(first?.days.at(-1)?.day ?? 0);
  return `${capital(measure)} by ${unit} from ${from} to ${until}: ${told.join("; ")}.${unmeasured}`;
}

interface ChartProps {
  id: string;
  title: string;
  measure: Measure;
  drawn: Drawn;
  isSplit: boolean;
  csv: TableProps["csv"];
  note?: string;
}

export const Chart = ({ id, title, measure, drawn, isSplit, csv, note }: ChartProps) => {
  const { lines } = drawn;
  const values = lines.map(({ days }) => days.map((day) => amountOf(day, measure)));
  const all = values.flat();
  const table = dayTable(measure, drawn, isSplit);
  const isEmpty = all.every((value) => value === null);
  return (
    <section
      class={measure === "views" && !drawn.isTotal ? "card wide" : "card"}
      aria-labelledby={id}
      data-chart
    >
      <h3 id={id}>{title}</h3>
      {note && <p class="muted">{note}</p>}
      {isEmpty ? (
        <p class="muted">Not measured in this period.</p>
      ) : (
        <>
          <Plot measure={measure} drawn={drawn} values={values} />
          {isSplit && (
            <ul class="legend">
              {lines.map(({ name }, i) => (
                <li>
                  <svg class={`line s${i % COLOURS}`} viewBox="0 0 24 8" aria-hidden="true">
                    <path d="M1 4H23" />
                  </svg>
                  {name}
                </li>
              ))}
            </ul>
          )}
          <FoldedTable table={table} csv={csv} />
        </>
      )}
    </section>
  );
};

const COLOURS = 8;

interface PlotProps {
  measure: Measure;
  drawn: Drawn;
  values: readonly (readonly (number | null)[])[];
}

const Plot = ({ measure, drawn, values }: PlotProps) => {
  const isTotal = drawn.isTotal ?? measure === "followers";
  const scale = scaleOf(values.flat(), !isTotal);
  const days = drawn.lines[0]?.days ?? [];
  const width = Math.max(1, days.length - 1);
  const ticks = [0, Math.floor(width / 2), width].map((i) => days[i]?.day ?? 0);
  const gaps = gapsOf(values);
  return (
    <>
      <div class="plot">
        <div class="y" aria-hidden="true">
          {[scale.high, (scale.high + scale.low) / 2, scale.low].map((amount) => (
            <span>{scale.low > 0 ? shown(amount) : compact.format(amount)}</span>
          ))}
        </div>
        <svg
          viewBox={`0 0 ${width} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={inWords(measure, drawn)}
        >
          {gaps.map(({ from, to }) => (
            <rect class="gap" x={from - 0.5} y="0" width={to - from + 1} height={HEIGHT} />
          ))}
          <path class="rule" d={`M0 0H${width}M0 ${HEIGHT / 2}H${width}M0 ${HEIGHT}H${width}`} />
          {values.length === 1 && !isTotal && (
            <path class="area s0" d={areaPath(values[0] ?? [], scale)} />
          )}
          {values.map((line, i) => (
            <path class={`line s${i % COLOURS}`} d={linePath(line, scale)} />
          ))}
        </svg>
        <div class="x" aria-hidden="true">
          {ticks.map((day) => (
            <span>{dayName(day)}</span>
          ))}
        </div>
      </div>
      <p class="readout muted" data-readout>
        {gaps.length > 0 ? "Shaded: not measured." : ""}
      </p>
    </>
  );
};
