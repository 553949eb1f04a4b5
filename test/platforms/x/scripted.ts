import type { Fetch, MediaItem, Post, PublishAccount } from "../../../src/platforms/connector.ts";
import { settings, type XSettings } from "../../../src/platforms/x/settings.ts";
import {
  answeringByName,
  type JobChange as CommonChange,
  jobOf,
  pushing,
  readCall,
  type Answer as SomeAnswer,
  image as someImage,
  video as someVideo,
} from "../../support/network.ts";

export { FACTS } from "../../support/network.ts";

export type Answer = SomeAnswer<Awaited<ReturnType<typeof read>>>;

export const data = (value: unknown, status = 200) => Response.json({ data: value }, { status });

export const problem = (
  status: number,
  detail: string,
  more: { type?: string; headers?: Record<string, string>; errors?: object[] } = {},
) =>
  Response.json(
    {
      title: "A title",
      detail,
      type: more.type ? `https://api.x.com/2/problems/${more.type}` : "about:blank",
      status,
      ...(more.errors ? { errors: more.errors } : {}),
    },
    { status, headers: more.headers },
  );

async function partsOf(request: Request): Promise<Record<string, string>> {
  if (!request.headers.get("content-type")?.startsWith("multipart/form-data")) return {};
  return Object.fromEntries(
    [...(await request.formData())].map(([name, value]) => [
      name,
      typeof value === "string" ? value : `${value.name} ${value.type} ${value.size}`,
    ]),
  );
}

/** For example `POST /2/tweets`. */
async function read(request: Request) {
  const parts = await partsOf(request.clone());
  const call = await readCall(request);
  return { ...call, path: `${call.method} ${call.path}`, parts };
}

/** Answers by verb and path. Unexpected calls fail the test. */
export const scriptedFetch = answeringByName(read, ({ path }) => path);

export const NOW = new Date("2026-12-01T09:00:00.123Z");

export const video = (change: Partial<MediaItem> = {}): MediaItem =>
  someVideo({ sizeBytes: 2_500_000, ...change });

export const image = (change: Partial<MediaItem> = {}): MediaItem =>
  someImage({ sizeBytes: 3_000, width: null, height: null, ...change });

export const gif = (change: Partial<MediaItem> = {}): MediaItem =>
  image({ mime: "image/gif", ...change });

export interface JobChange extends Omit<CommonChange, "now"> {
  account?: Partial<PublishAccount>;
  now?: () => Date;
}

export function post(change: JobChange = {}): Post<XSettings, MediaItem> {
  const { title = "Hello", description = null, media = [] } = change;
  return { title, description, media, settings: settings.read(change.settings ?? {}).values };
}

export const job = (fetch: Fetch, { now = () => NOW, ...change }: JobChange = {}) =>
  jobOf(fetch, change, {
    post: post(change),
    account: { platformAccountId: "1234", handle: "ada", service: null, ...change.account },
    accessToken: "token-1",
    now,
    ...pushing(),
  });
