import { SingleBar } from "cli-progress";

export interface ProgressBar {
  /** @param note replaces the speed and the remaining time */
  show(doneBytes: number, note?: string): void;
  end(): void;
}

export interface BarOptions {
  label: string;
  totalBytes: number;
  /** Bytes that an earlier run sent. The speed does not count them. */
  fromBytes?: number;
  out?: NodeJS.WriteStream;
  now?: () => number;
}

const KILOBYTE = 1_000;
const MEGABYTE = 1_000_000;
const BAR_CHARACTERS = 24;
const FRAMES_PER_SECOND = 10;
const SPEED_AFTER_MS = 500;
const STEP_PERCENT = 10;

const unitOf = (bytes: number) =>
  bytes > 0 && bytes < MEGABYTE / 10
    ? { name: "kB", bytes: KILOBYTE }
    : { name: "MB", bytes: MEGABYTE };

/** Returns text such as `300.0 MB`, or `12.3 kB` below a tenth of a megabyte. */
export function formatBytes(bytes: number): string {
  const unit = unitOf(bytes);
  return `${(bytes / unit.bytes).toFixed(1)} ${unit.name}`;
}

export const formatSpeed = (bytes: number, ms: number): string =>
  `${(bytes / MEGABYTE / (Math.max(ms, 1) / 1_000)).toFixed(1)} MB/s`;

export const formatTransfer = (bytes: number, ms: number): string =>
  `${formatBytes(bytes)} in ${(ms / 1_000).toFixed(1)} s (${formatSpeed(bytes, ms)})`;

function formatDuration(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function createProgressBar(options: BarOptions): ProgressBar {
  const { label, totalBytes, fromBytes = 0, out = process.stdout } = options;
  const now = options.now ?? (() => performance.now());
  const startedAt = now();

  const percentOf = (done: number) => Math.min(100, Math.floor((100 * done) / totalBytes));
  const describe = (done: number, note: string | undefined): string => {
    const state = `${percentOf(done)} %, ${(done / unitOf(totalBytes).bytes).toFixed(1)} of ${formatBytes(totalBytes)}`;
    if (note !== undefined) return `${state}, ${note}`;
    const ms = now() - startedAt;
    const moved = done - fromBytes;
    if (ms < SPEED_AFTER_MS || moved <= 0) return state;
    const remaining =
      done < totalBytes ? `, ${formatDuration(((totalBytes - done) * ms) / moved)} left` : "";
    return `${state}, ${formatSpeed(moved, ms)}${remaining}`;
  };

  if (!out.isTTY) {
    let [shown, shownNote] = [-1, "" as string | undefined];
    return {
      show(done, note) {
        const step = Math.floor(percentOf(done) / STEP_PERCENT);
        if (step <= shown && note === shownNote) return;
        [shown, shownNote] = [Math.max(step, shown), note];
        out.write(`${label}: ${describe(done, note)}\n`);
      },
      end() {},
    };
  }
  const bar = new SingleBar({
    stream: out,
    format: "{label} {bar} {state}",
    barsize: BAR_CHARACTERS,
    barCompleteChar: "█",
    barIncompleteChar: "░",
    fps: FRAMES_PER_SECOND,
    emptyOnZero: true,
  });
  bar.start(totalBytes, fromBytes, { label, state: describe(fromBytes, undefined) });
  return {
    show: (done, note) => bar.update(done, { label, state: describe(done, note) }),
    end: () => bar.stop(),
  };
}

export interface Reporter {
  say(text: string): void;
  startBar(options: BarOptions): ProgressBar;
}

export const OUTPUT: Reporter = { say: (text) => console.log(text), startBar: createProgressBar };

/** Standard output carries only the result. */
export const ERROR_OUTPUT: Reporter = {
  say: (text) => console.error(text),
  startBar: (options) => createProgressBar({ ...options, out: process.stderr }),
};
