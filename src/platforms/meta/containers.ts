import * as z from "zod";
import type { MediaItem, PublishJob, Refused, VideoFacts } from "../connector.ts";
import { field } from "../kit/shapes.ts";
import type { GraphJudge } from "./failures.ts";
import { graphId, type Reading, readGraphReply } from "./graph.ts";

export type Fields = Record<string, string>;

export const CONTAINER_STATUSES = [
  "IN_PROGRESS",
  "FINISHED",
  "PUBLISHED",
  "ERROR",
  "EXPIRED",
] as const;

export interface ContainerStatus {
  status: (typeof CONTAINER_STATUSES)[number];
  reason: string | null;
}

export interface ListedPost {
  id: string;
  text: string | null;
  permalink: string | null;
  repliedTo?: string | null;
  timestamp: string | null;
}

/** Meta downloads files into a container, which another call publishes. */
export interface ContainerPlatform<S> {
  name: string;
  isCarousel(job: PublishJob<S>): boolean;
  refusedVideo(job: PublishJob<S>, facts: VideoFacts | null, sizeBytes: number): string | null;
  singleFields(job: PublishJob<S>): Promise<Fields>;
  childFields(job: PublishJob<S>, item: MediaItem, index: number): Promise<Fields>;
  carouselFields(job: PublishJob<S>, children: string[]): Fields;
  listedText(job: PublishJob<S>): string;
  /** False for posts whose URL expires. */
  hasPermalink(job: PublishJob<S>): boolean;
  calls: {
    create(token: string, userId: string, fields: Fields): Request;
    look(token: string, containerId: string): Request;
    readLook(reply: Response): Reading<ContainerStatus>;
    publish(token: string, userId: string, containerId: string): Request;
    findPermalink(token: string, postId: string, isReply: boolean): Request;
    list(job: PublishJob<S>): Request;
    readList(reply: Response): Reading<ListedPost[]>;
  };
  judge: GraphJudge;
  toContainerRefused(reason: string | null): Refused;
  /**
   * `isSaidOfPublished`: Meta may also send this subcode for a published container, which must not be created again.
   */
  missing: { subcode: number; isSaidOfPublished: boolean };
  firstLookSeconds: number;
  /** Seconds between a finished container and its publishing. Absent for none. */
  restSeconds?(job: PublishJob<S>): number;
}

const UNNAMED = "container:";

/** For a post whose own id Meta has not said. */
export const unnamedPost = (containerId: string): string => UNNAMED + containerId;
export const isUnnamed = (postId: string): boolean => postId.startsWith(UNNAMED);

const created = field("id", graphId);

export const readCreatedReply = (reply: Response, platform: string): Reading<string> =>
  readGraphReply(reply, created, platform);

/** Times are epoch milliseconds. */
export const bookmark = z.discriminatedUnion("stage", [
  /** `children`: containers made so far. `finished`: how many of them are processed. */
  z.object({
    stage: z.literal("children"),
    children: z.array(z.string()),
    finished: z.int(),
    since: z.number(),
  }),
  /** `readyAt`: a time before any publish call. */
  z.object({
    stage: z.literal("container"),
    containerId: z.string(),
    since: z.number(),
    finishedAt: z.number().optional(),
    readyAt: z.number().optional(),
  }),
  z.object({
    stage: z.literal("published"),
    containerId: z.string(),
    mediaId: z.string(),
    since: z.number(),
  }),
]);

export type Place = z.infer<typeof bookmark>;
export type Children = Extract<Place, { stage: "children" }>;
export type Container = Extract<Place, { stage: "container" }>;
