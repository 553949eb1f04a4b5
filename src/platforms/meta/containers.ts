import * as z from "zod";
import type { MediaItem, PublishJob, Refused, VideoFacts } from "../connector.ts";
import { field } from "../kit/shapes.ts";
import type { GraphJudge } from "./failures.ts";
import { graphId, type Reading, readGraphReply } from "./graph.ts";

/** Fields of a container as they are sent. */
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
  /** The platform's reason of an ERROR. */
  reason: string | null;
}

/** A post as its account lists it. */
export interface ListedPost {
  id: string;
  text: string | null;
  permalink: string | null;
  /** Such as `2026-12-01T09:00:00+0000`. */
  timestamp: string | null;
}

/** One of Meta's platforms that publish containers: each file is fetched into one, then published. */
export interface ContainerPlatform<S> {
  /** Name as people know it. */
  name: string;
  isCarousel(job: PublishJob<S>): boolean;
  /** Returns why the platform would refuse a video, or null. */
  refusedVideo(job: PublishJob<S>, facts: VideoFacts | null, sizeBytes: number): string | null;
  /** The container of a post of one file, or of none. */
  singleFields(job: PublishJob<S>): Promise<Fields>;
  childFields(job: PublishJob<S>, item: MediaItem, index: number): Promise<Fields>;
  /** The container that joins those of the files, in their order. */
  carouselFields(job: PublishJob<S>, children: string[]): Fields;
  /** Text of this post as the list shows it. */
  listedText(job: PublishJob<S>): string;
  /** Returns true when a post has an address that keeps. */
  hasPermalink(job: PublishJob<S>): boolean;
  calls: {
    create(token: string, userId: string, fields: Fields): Request;
    look(token: string, containerId: string): Request;
    readLook(reply: Response): Reading<ContainerStatus>;
    publish(token: string, userId: string, containerId: string): Request;
    findPermalink(token: string, postId: string): Request;
    /** The newest posts, among which this one is if it is out. */
    list(job: PublishJob<S>): Request;
    readList(reply: Response): Reading<ListedPost[]>;
  };
  judge: GraphJudge;
  toContainerRefused(reason: string | null): Refused;
  /**
   * The subcode of a container that cannot be found. If publishing may also give it for a published
   * container, such a container is never made again once publishing was tried.
   */
  missing: { subcode: number; isSaidOfPublished: boolean };
  /** Seconds that a container rests before its first look; 0: it is looked at as soon as it is made. */
  firstLookSeconds: number;
}

const created = field("id", graphId);

/** The id of what a call has made: a container, or a post. */
export const readCreatedReply = (reply: Response, platform: string): Reading<string> =>
  readGraphReply(reply, created, platform);

/** Progress of a post. Moments in epoch milliseconds. */
export const bookmark = z.discriminatedUnion("stage", [
  /** `children`: the containers of the first files; `finished`: how many of them are processed. */
  z.object({
    stage: z.literal("children"),
    children: z.array(z.string()),
    finished: z.int(),
    since: z.number(),
  }),
  /** `readyAt`: when it was seen to be ready, before anything was published. */
  z.object({
    stage: z.literal("container"),
    containerId: z.string(),
    since: z.number(),
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
