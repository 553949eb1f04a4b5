import { facts } from "./facts.ts";

/** A picture of a phone is a little off its ratio. */
const TOLERANCE = 1.02;

export function crops(
  kind: string,
  ratio: number,
  platforms: ReadonlySet<string>,
  count: number,
): string[] {
  return [...platforms].flatMap((platform) => {
    const { name = platform, frames = [] } = facts[platform] ?? {};
    const words = frames
      .filter((frame) => frame.kind === kind)
      .flatMap(
        ({ minRatio = 0, maxRatio = Number.POSITIVE_INFINITY, narrower, wider, several }) => {
          const isNarrower = ratio * TOLERANCE < minRatio;
          if (!isNarrower && ratio <= maxRatio * TOLERANCE) return [];
          return [isNarrower ? narrower : wider, count > 1 ? several : undefined];
        },
      );
    return words.filter(Boolean).map((one) => `${name} ${one}.`);
  });
}
