export interface Scale {
  low: number;
  high: number;
}

/** The next of 1, 2, 2.5, 5 and 10 times a power of ten. */
function roundUp(amount: number): number {
  const power = 10 ** Math.floor(Math.log10(amount));
  const step = [1, 2, 2.5, 5, 10].find((one) => one * power >= amount) ?? 10;
  return Math.max(1, step * power);
}

/** @param isFromZero false for numbers whose changes are small beside them */
export function scaleOf(values: readonly (number | null)[], isFromZero: boolean): Scale {
  const known = values.filter((value) => value !== null);
  const [lowest, highest] = [Math.min(...known), Math.max(...known)];
  if (known.length === 0 || highest <= 0) return { low: 0, high: 1 };
  const range = highest - lowest;
  if (isFromZero || lowest < range) {
    const half = roundUp(highest / 2);
    return { low: 0, high: 2 * half };
  }
  const half = roundUp(Math.max(range, highest / 50) / 2);
  const low = Math.floor(lowest / half) * half;
  const steps = Math.max(1, Math.ceil((highest - low) / half));
  return { low, high: low + half * (steps + (steps % 2)) };
}

export const HEIGHT = 100;

const toY = (value: number, { low, high }: Scale): number =>
  Math.round((HEIGHT - ((value - low) / (high - low)) * HEIGHT) * 10) / 10;

interface Run {
  from: number;
  to: number;
}

function runsOf(values: readonly (number | null)[], isMeasured: boolean): Run[] {
  const runs: Run[] = [];
  for (const [i, value] of values.entries()) {
    if ((value !== null) !== isMeasured) continue;
    const last = runs.at(-1);
    if (last && last.to === i - 1) last.to = i;
    else runs.push({ from: i, to: i });
  }
  return runs;
}

/** Breaks off where nothing was measured. */
export function linePath(values: readonly (number | null)[], scale: Scale): string {
  const pointsOf = ({ from, to }: Run) =>
    values.slice(from, to + 1).map((value, i) => `${from + i} ${toY(value ?? 0, scale)}`);
  return runsOf(values, true)
    .map((run) => `M${pointsOf(run).join(" ")}${run.from === run.to ? "h0" : ""}`)
    .join("");
}

export function areaPath(values: readonly (number | null)[], scale: Scale): string {
  return runsOf(values, true)
    .map(({ from, to }) => {
      const points = values
        .slice(from, to + 1)
        .map((value, i) => `${from + i} ${toY(value ?? 0, scale)}`);
      return `M${from} ${HEIGHT} ${points.join(" ")} ${to} ${HEIGHT}z`;
    })
    .join("");
}

/** Where no line has a value. */
export function gapsOf(lines: readonly (readonly (number | null)[])[]): Run[] {
  const length = lines[0]?.length ?? 0;
  const any = Array.from(
    { length },
    (_, i) => lines.map((values) => values[i] ?? null).find((value) => value !== null) ?? null,
  );
  return runsOf(any, false);
}
