import type { Fetch, MediaItem, Post } from "../../../src/platforms/connector.ts";
import { type LinkedInSettings, settings } from "../../../src/platforms/linkedin/settings.ts";
import {
  type JobChange as CommonChange,
  image,
  jobOf,
  pushing,
  readCall,
  type Answer as SomeAnswer,
  scripted,
} from "../../support/network.ts";

export { FACTS, NOW } from "../../support/network.ts";

export type Answer = SomeAnswer<unknown>;

export const error = (status: number, code: string | null, message = `It says ${code}.`) =>
  Response.json({ status, ...(code === null ? {} : { code }), message }, { status });

/** For example `POST posts`. */
async function read(request: Request) {
  const call = await readCall(request);
  return {
    ...call,
    name: `${call.method} ${call.url.replace("https://api.linkedin.com/rest/", "")}`,
  };
}

/** Unexpected calls fail the test. */
export function scriptedFetch(script: [name: string, answer: Answer][]) {
  const remaining = [...script];
  const network = scripted(read, ({ name }) => {
    const [expected, answer] = remaining.shift() ?? [];
    return expected === name ? answer : undefined;
  });
  return { ...network, remaining };
}

export const PERSON = "urn:li:person:ada1";
export const PAGE = "urn:li:organization:77";
export const POST = "urn:li:share:7123456789012345678";
export const UPLOAD_URL = "https://www.linkedin.com/dms-uploads/1?m=AQ%253D";

export const photo = (change: Partial<MediaItem> = {}): MediaItem =>
  image({ sizeBytes: 2_500, width: 100, height: 100, ...change });

export const video = (change: Partial<MediaItem> = {}): MediaItem =>
  photo({ kind: "video", mime: "video/mp4", sizeBytes: 100_000, ...change });

export const pdf = (change: Partial<MediaItem> = {}): MediaItem =>
  photo({ kind: "document", mime: "application/pdf", width: null, height: null, ...change });

export interface JobChange extends CommonChange {
  author?: string;
  attempt?: number;
}

export function post(change: JobChange = {}): Post<LinkedInSettings, MediaItem> {
  const { title = null, description = "Hello", media = [] } = change;
  return { title, description, media, settings: settings.read(change.settings ?? {}).values };
}

export const job = (fetch: Fetch, change: JobChange = {}) =>
  jobOf(fetch, change, {
    post: post(change),
    account: { platformAccountId: change.author ?? PERSON, handle: null, service: null },
    accessToken: "AQX1",
    attempt: change.attempt ?? 1,
    ...pushing(),
  });
