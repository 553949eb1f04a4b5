import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createGradientPng } from "../../src/cli/png.ts";

/** Paths of three files of different shapes; another tint makes other files. */
export async function pictures(folder: string, tint = 0): Promise<string[]> {
  const sizes = [
    [640, 480],
    [400, 900],
    [500, 500],
  ] as const;
  return Promise.all(
    sizes.map(async ([width, height], i) => {
      const path = join(folder, `picture-${i + 1}${tint > 0 ? `-${tint}` : ""}.png`);
      const from = [58 + 60 * i, 70 + 40 * tint, 214] as const;
      await writeFile(path, createGradientPng({ width, height, from, to: [240, 200, 120] }));
      return path;
    }),
  );
}
