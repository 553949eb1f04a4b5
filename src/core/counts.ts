export const formatCount = (count: number): string =>
  String(count).replace(/\B(?=(\d{3})+$)/g, ",");

const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** Decimal units, such as 2.5 MB. */
export function formatBytes(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 999.5 && unit < UNITS.length - 1) {
    size /= 1_000;
    unit++;
  }
  return `${unit === 0 || size >= 99.5 ? Math.round(size) : Number(size.toFixed(1))} ${UNITS[unit]}`;
}

export const plural = (count: number, word: string): string =>
  `${formatCount(count)} ${word}${count === 1 ? "" : "s"}`;
