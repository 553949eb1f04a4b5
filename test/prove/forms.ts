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
  /** Long threads, and kills while they go out. */
  threads: { count: number; kills: number };
  /** One very large file, and the chunks of it at which the server is killed. */
  large: { sizeBytes: number; kills: number };
  webhooks: Webhooks;
  figures: Figures;
}

/** Events that webhooks are sent. */
export interface Webhooks {
  /** Endpoints, of which one is dead, and the events that each of them is sent. */
  endpoints: number;
  events: number;
  /** Events that receivers of every kind are sent. */
  badEvents: number;
  /** Posts whose completion is told. */
  posts: number;
}

/** Uploads of each world of a scenario, and the least number of cases that its figure wants. */
export interface Figures {
  subjects: readonly Subject[];
  lostReplies: { uploads: number; least: number };
  lateAcceptances: { uploads: number; least: number };
  noLookUps: { uploads: number; least: number };
  downUploads: number;
  storm: { subjects: readonly Subject[]; uploads: number };
  hangingUploads: number;
  shuffled: { worlds: number; uploads: number; leastMessages: number };
  badDatabase: { subjects: readonly Subject[]; uploads: number; leastFaults: number };
}

export const MIB = 1_024 ** 2;
const GIB = 1_024 ** 3;

const ALL: readonly Subject[] = [
  "bluesky",
  "stepwise",
  ...PROTOCOLS.map(({ platform }) => platform),
];

export const SHORT: Form = {
  worlds: [
    { subject: "bluesky", count: 3, uploads: 40 },
    { subject: "stepwise", count: 2, uploads: 60 },
    ...PROTOCOLS.map(({ platform }) => ({ subject: platform, count: 1, uploads: 35 })),
  ],
  calmUploads: 200,
  crashesPerBoundary: 4,
  controlUploads: 60,
  kills: 5,
  brokenUploads: 3,
  clients: 30,
  killUploads: 100,
  threads: { count: 200, kills: 20 },
  large: { sizeBytes: 256 * MIB, kills: 3 },
  webhooks: { endpoints: 50, events: 60, badEvents: 20, posts: 100 },
  figures: {
    subjects: ["bluesky", "pinterest", "threads"],
    lostReplies: { uploads: 12, least: 50 },
    lateAcceptances: { uploads: 12, least: 50 },
    noLookUps: { uploads: 8, least: 20 },
    downUploads: 3,
    storm: { subjects: ["x"], uploads: 25 },
    hangingUploads: 100,
    shuffled: { worlds: 1, uploads: 40, leastMessages: 150 },
    badDatabase: { subjects: ["x"], uploads: 60, leastFaults: 40 },
  },
};

export const FULL: Form = {
  worlds: [
    { subject: "bluesky", count: 8, uploads: 100 },
    { subject: "stepwise", count: 8, uploads: 100 },
    ...PROTOCOLS.map(({ platform }) => ({ subject: platform, count: 7, uploads: 100 })),
  ],
  calmUploads: 1_000,
  crashesPerBoundary: 50,
  controlUploads: 150,
  kills: 60,
  brokenUploads: 50,
  clients: 100,
  killUploads: 1_000,
  threads: { count: 200, kills: 20 },
  large: { sizeBytes: 10 * GIB, kills: 20 },
  webhooks: { endpoints: 50, events: 200, badEvents: 40, posts: 300 },
  figures: {
    subjects: ALL,
    lostReplies: { uploads: 62, least: 500 },
    lateAcceptances: { uploads: 25, least: 200 },
    noLookUps: { uploads: 15, least: 100 },
    downUploads: 10,
    storm: { subjects: ["bluesky", "stepwise", "x", "pinterest", "youtube"], uploads: 40 },
    hangingUploads: 500,
    shuffled: { worlds: 4, uploads: 450, leastMessages: 5_000 },
    badDatabase: {
      subjects: ["stepwise", "bluesky", "x", "pinterest", "instagram"],
      uploads: 180,
      leastFaults: 1_000,
    },
  },
};
