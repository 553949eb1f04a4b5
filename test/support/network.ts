import type {
  Fetch,
  MediaItem,
  Post,
  PublishJob,
  VideoFacts,
} from "../../src/platforms/connector.ts";
import type { RawField } from "../../src/platforms/kit/form-fields.ts";

/** A call that was made, with its body read. */
export interface Call {
  method: string;
  url: string;
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  redirect: string;
  /** The body's text; only the beginning of a long one. */
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was sent
  json: any;
  bytes: number;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export async function readCall(request: Request): Promise<Call> {
  const url = new URL(request.url);
  const bytes = await request.arrayBuffer();
  const text = new TextDecoder().decode(bytes.slice(0, 200_000));
  return {
    method: request.method,
    url: request.url,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: Object.fromEntries(request.headers),
    redirect: request.redirect,
    text,
    json: parse(text),
    bytes: bytes.byteLength,
  };
}

export type Answer<C = Call> =
  | Response
  | Error
  | ((call: C) => Response | Error | Promise<Response>);

/** A network that keeps each call as `read` and answers it by `next`; where that has nothing, the test fails. */
export function scripted<C>(
  read: (request: Request) => Promise<C>,
  next: (call: C) => Answer<C> | undefined,
) {
  const calls: C[] = [];
  const fetch: Fetch = async (input, init) => {
    const request = new Request(input, init);
    const call = await read(request);
    calls.push(call);
    const answer = next(call);
    if (!answer) throw new Error(`Nobody expected ${request.method} ${request.url}`);
    const reply = typeof answer === "function" ? await answer(call) : answer;
    if (reply instanceof Error) throw reply;
    return reply;
  };
  return { fetch, calls };
}

/**
 * Networks that answer each call with the next answer of its name, or of the first of its names that is
 * scripted. A call that nobody expects fails the test.
 */
export const answeringByName =
  <C>(read: (request: Request) => Promise<C>, nameOf: (call: C) => string | string[]) =>
  (script: Record<string, Answer<C>[]> = {}) => {
    const left = new Map(Object.entries(script).map(([name, answers]) => [name, [...answers]]));
    return scripted(read, (call) => {
      const name = [nameOf(call)].flat().find((one) => left.has(one));
      return name === undefined ? undefined : left.get(name)?.shift();
    });
  };

/** Networks that answer the calls in their order. A call that nobody expects fails the test. */
export const answeringInOrder =
  <C>(read: (request: Request) => Promise<C>) =>
  (...answers: Answer<C>[]) => {
    const left = [...answers];
    return { ...scripted(read, () => left.shift()), left };
  };

export const NOW = new Date("2026-12-01T09:00:00.000Z");
export const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000);

export const image = (change: Partial<MediaItem> = {}): MediaItem => ({
  kind: "image",
  mime: "image/jpeg",
  sizeBytes: 1_234,
  sha256: "ab".repeat(32),
  width: 1_080,
  height: 1_080,
  ...change,
});

export const video = (change: Partial<MediaItem> = {}): MediaItem => ({
  kind: "video",
  mime: "video/mp4",
  sizeBytes: 2_500,
  sha256: "cd".repeat(32),
  width: null,
  height: null,
  ...change,
});

export const FACTS: VideoFacts = {
  container: "mp4",
  videoCodec: "avc",
  audioCodec: "aac",
  durationSeconds: 12,
  framesPerSecond: 30,
  width: 1_080,
  height: 1_920,
};

export type PostChange = Partial<Omit<Post<unknown, MediaItem>, "settings">> & {
  settings?: Record<string, RawField>;
};

/** Surroundings of a job's test. */
export interface Circumstances {
  facts?: VideoFacts | null;
  now?: Date;
}

/** The same with the parts of the post that a test changes. */
export interface JobChange extends Circumstances {
  title?: string | null;
  description?: string | null;
  media?: MediaItem[];
  settings?: Record<string, string>;
}

type Own = Pick<PublishJob, "post" | "account" | "accessToken" | "readMedia" | "mediaUrl"> &
  Partial<PublishJob>;

/** The job of a first attempt, with what is the platform's own. */
export const jobOf = <T extends Own>(fetch: Fetch, { now, facts }: Circumstances, own: T) => ({
  uploadId: 41,
  attempt: 1,
  fetch,
  now: () => now ?? NOW,
  inspectVideo: async () => (facts === undefined ? FACTS : facts),
  transfer: async (item: MediaItem, toRequest: (data: ReadableStream) => Request) =>
    fetch(toRequest(await own.readMedia(item))),
  ...own,
});

/** For a job whose platform pulls files from us. */
export const pulling = {
  async readMedia(): Promise<ReadableStream> {
    throw new Error("This platform pulls files.");
  },
  mediaUrl: async (item: MediaItem, form = "original") =>
    `https://akimbo.test/media/${item.sha256.slice(0, 2)}/${form}`,
};

/** For a job whose platform is sent the bytes, all zeros: which `ranges` of files were read. */
export function pushing() {
  const ranges: ({ offset: number; length: number } | undefined)[] = [];
  return {
    ranges,
    async readMedia(item: MediaItem, range?: { offset: number; length: number }) {
      ranges.push(range);
      return new Blob([new Uint8Array(range?.length ?? item.sizeBytes)]).stream();
    },
    async mediaUrl(): Promise<string> {
      throw new Error("This platform pulls nothing.");
    },
  };
}
