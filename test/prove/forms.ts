/** How much is done. A world is one run in moved time, with an empty database. */
export interface Form {
  worlds: { subject: "bluesky" | "stepwise"; count: number; uploads: number }[];
  /** Crashes wanted at each step boundary, over all worlds. */
  crashesPerBoundary: number;
  /** Uploads of each control. */
  controlUploads: number;
  kills: number;
  killUploads: number;
}

export const SHORT: Form = {
  worlds: [
    { subject: "bluesky", count: 2, uploads: 75 },
    { subject: "stepwise", count: 2, uploads: 75 },
  ],
  crashesPerBoundary: 4,
  controlUploads: 100,
  kills: 5,
  killUploads: 100,
};

export const FULL: Form = {
  worlds: [
    { subject: "bluesky", count: 6, uploads: 100 },
    { subject: "stepwise", count: 6, uploads: 100 },
  ],
  crashesPerBoundary: 50,
  controlUploads: 100,
  kills: 60,
  killUploads: 1_000,
};
