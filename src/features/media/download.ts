import { detectFileType, detectSubtitles, type FileType } from "../../core/file-type.ts";
import { refusedUrl } from "../../core/url-policy.ts";
import type { Deps } from "../../deps.ts";
import { DAMAGED } from "./read.ts";
import { type StoredFile, storeFile } from "./store.ts";

/** Source: spec, "Other": media given by URL is under 200 MB each. */
const MAX_DOWNLOAD_BYTES = 200_000_000;
const MEGABYTE = 1_000_000;
const tooLarge = (bytes: number) =>
  `The file at the media URL is larger than ${Math.floor(bytes / MEGABYTE)} MB.`;
const MAX_REDIRECTS = 3;
/** For the whole download, redirects included. */
export const DOWNLOAD_SECONDS = 300;

/** The receiver of a download: it is called for each piece, and may end the download. */
interface Recipient {
  signal: AbortSignal;
  /** @throws when the rest is not wanted any more */
  moved(): Promise<void>;
}

/** Returns why a URL from outside may not be fetched as media; null when it may. */
export function refusedMediaUrl(deps: Pick<Deps, "config">, url: string): string | null {
  const { publicUrl, isDevelopment } = deps.config;
  return refusedUrl(url, {
    allowHttp: true,
    allowLoopback: isDevelopment,
    ownHosts: publicUrl ? [new URL(publicUrl).host] : [],
  });
}

const detectImage = (head: Uint8Array): FileType | null => {
  const type = detectFileType(head);
  return type?.kind === "image" ? type : null;
};

/** The files that a download takes, in the words of its refusal. */
const TAKEN = {
  media: { detect: detectFileType, words: "an image, video or document of a known type" },
  image: { detect: detectImage, words: "an image of a known type" },
  subtitles: { detect: detectSubtitles, words: "a file of subtitles, SRT or WebVTT" },
} as const;

/** The file to download: any file of a post, up to 200 MB, or the one that a setting names. */
interface Expected {
  kind: keyof typeof TAKEN;
  maxBytes: number;
}

const ANY_MEDIA: Expected = { kind: "media", maxBytes: MAX_DOWNLOAD_BYTES };

type Downloaded =
  | { kind: "stored"; file: StoredFile }
  /** `transient`: the same address may answer later. */
  | { kind: "unreachable"; message: string; transient: boolean }
  | { kind: "invalid"; message: string };

/** Fetches a public file into storage. Follows up to three redirects, each judged by itself. */
export async function downloadMedia(
  deps: Deps,
  teamId: number,
  url: string,
  recipient: Recipient,
  expected = ANY_MEDIA,
): Promise<Downloaded> {
  let address = url;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const refusal = refusedMediaUrl(deps, address);
    if (refusal) return unreachable(`The media URL ${refusal}.`);
    const response = await fetchOrNull(deps, address, recipient.signal);
    if (!response) return unreachable("The media URL did not answer.", true);
    const target = response.headers.get("location");
    if (response.status >= 300 && response.status < 400 && target) {
      await response.body?.cancel();
      if (!URL.canParse(target, address)) {
        return unreachable("The media URL answered with a redirect that names no address.");
      }
      address = new URL(target, address).href;
      continue;
    }
    if (!response.ok || !response.body) {
      await response.body?.cancel();
      const isTheirs = response.status >= 500 || response.status === 429;
      return unreachable(`The media URL answered with status ${response.status}.`, isTheirs);
    }
    if (Number(response.headers.get("content-length")) > expected.maxBytes) {
      await response.body.cancel();
      return { kind: "invalid", message: tooLarge(expected.maxBytes) };
    }
    const pieces = telling(response.body, recipient);
    return receive(deps, teamId, pieces, new URL(address).pathname, expected);
  }
  return unreachable(`The media URL redirects more than ${MAX_REDIRECTS} times.`);
}

const unreachable = (message: string, transient = false): Downloaded => ({
  kind: "unreachable",
  message,
  transient,
});

async function fetchOrNull(deps: Deps, url: string, signal: AbortSignal): Promise<Response | null> {
  try {
    return await deps.fetch(url, { signal });
  } catch {
    return null;
  }
}

async function* telling(body: ReadableStream<Uint8Array>, { moved }: Recipient) {
  for await (const piece of body) {
    await moved();
    yield piece;
  }
}

async function receive(
  deps: Deps,
  teamId: number,
  body: AsyncIterable<Uint8Array>,
  name: string,
  { kind, maxBytes }: Expected,
): Promise<Downloaded> {
  const { detect, words } = TAKEN[kind];
  let stored: Awaited<ReturnType<typeof storeFile>>;
  try {
    stored = await storeFile(deps, teamId, body, maxBytes, name, detect);
  } catch {
    return unreachable("The download from the media URL stopped before the end of the file.", true);
  }
  if (typeof stored === "object") {
    if (!stored.isDamaged) return { kind: "stored", file: stored };
    await deps.media.delete(stored.objectKey);
    return { kind: "invalid", message: `${DAMAGED} It came from the media URL.` };
  }
  const problem = {
    empty: "The file at the media URL is empty.",
    too_large: tooLarge(maxBytes),
    unknown_type: `The file at the media URL is not ${words}.`,
  };
  return { kind: "invalid", message: problem[stored] };
}
