import { createGradientPng } from "../../src/cli/png.ts";

/** A small photo, as a file that a person chose. */
export const createSamplePhoto = (): Blob =>
  new Blob(
    [createGradientPng({ width: 320, height: 240, from: [255, 120, 40], to: [40, 60, 160] })],
    { type: "image/png" },
  );
