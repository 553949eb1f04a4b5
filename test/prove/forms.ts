import { PROTOCOLS } from "./protocols.ts";
import type { Subject } from "./world-options.ts";

/** How much is done. A world is one run in moved time, with an empty database. */
export interface Form {
  worlds: { subject: Subject; count: number; uploads: number }[];
  /** Uploads of the two calm worlds that show what a poisoned post does to the others. */
  calmUploads: number;
  /** Crashes wanted at each step boundary, over all worlds. */
  crashesPerBoundary: number;
  /** Uploads of each control. */
  controlUploads: number;
  kills: number;
  /** Kills while files stream in. */
  brokenUploads: number;
  /** Clients that hang up while they wait for the outcome. */
  clients: number;
  killUploads: number;
}

export const SHORT: Form = {
  worlds: [
    { subject: "bluesky", count: 2, uploads: 75 },
    { subject: "stepwise", count: 2, uploads: 75 },
    ...PROTOCOLS.map(({ platform }) => ({ subject: platform, count: 1, uploads: 40 })),
  ],
  calmUploads: 200,
  crashesPerBoundary: 4,
  controlUploads: 150,
  kills: 5,
  brokenUploads: 3,
  clients: 30,
  killUploads: 100,
};

export const FULL: Form = {
  worlds: [
    { subject: "bluesky", count: 6, uploads: 100 },
    { subject: "stepwise", count: 6, uploads: 100 },
    ...PROTOCOLS.map(({ platform }) => ({ subject: platform, count: 6, uploads: 100 })),
  ],
  calmUploads: 1_000,
  crashesPerBoundary: 50,
  controlUploads: 150,
  kills: 60,
  brokenUploads: 50,
  clients: 100,
  killUploads: 1_000,
};
