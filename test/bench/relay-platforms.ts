import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Workspace } from "./workspace.ts";

/** A platform on loopback that takes a video in pieces, and counts. */
export interface VideoPlatform {
  platform: "tiktok" | "x" | "youtube";
  /** For PLATFORM_ORIGINS. */
  origins: Record<string, string>;
  /** Bytes in each piece of the video that is coming in, by where the piece belongs. */
  pieces: Map<number, number>;
  /** Requests that brought a piece. */
  requests: number;
  /** Begins to count anew. */
  reset(): void;
}

type Answer = (request: IncomingMessage, url: URL, response: ServerResponse) => Promise<object>;

const serve = (workspace: Workspace, answer: Answer): Promise<string> =>
  listen(workspace, async (request, response) => {
    try {
      const url = new URL(request.url ?? "", "http://127.0.0.1");
      const body = await answer(request, url, response);
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(body));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });

async function listen(workspace: Workspace, onRequest: RequestListener): Promise<string> {
  const server = createServer(onRequest);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  workspace.onEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const EMPTY = Buffer.alloc(64 * 1_024);

/** The bytes from `first` to `last`: the head of a film, and nothing for the rest of it. */
function* filmBytes(head: Uint8Array, first: number, last: number): Generator<Uint8Array> {
  if (first < head.length) yield head.subarray(first, last + 1);
  for (let at = Math.max(first, head.length); at <= last; at += EMPTY.length) {
    yield EMPTY.subarray(0, last + 1 - at);
  }
}

/** Holds a film for ranged reads, as storage does, and drops what is put there; its address. */
export const startFilms = (workspace: Workspace, head: Uint8Array): Promise<string> =>
  listen(workspace, async (request, response) => {
    const { method, headers } = request;
    if (method === "PUT") {
      await bytesOf(request);
      response.end();
      return;
    }
    const [first = 0, last = 0] =
      /(\d+)-(\d+)/
        .exec(headers.range ?? "")
        ?.slice(1)
        .map(Number) ?? [];
    response.writeHead(206, { "content-length": last + 1 - first });
    // A reader may have seen enough and hang up.
    pipeline(Readable.from(filmBytes(head, first, last)), response).catch(() => {});
  });

async function bodyOf(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function bytesOf(request: IncomingMessage): Promise<number> {
  let bytes = 0;
  for await (const chunk of request) bytes += (chunk as Buffer).length;
  return bytes;
}

function scripted(platform: VideoPlatform["platform"]): VideoPlatform {
  const scene: VideoPlatform = {
    platform,
    origins: {},
    pieces: new Map(),
    requests: 0,
    reset() {
      scene.pieces.clear();
      scene.requests = 0;
    },
  };
  return scene;
}

function take(scene: VideoPlatform, where: number, bytes: number): void {
  scene.pieces.set(where, bytes);
  scene.requests++;
}

export const arrivedAt = ({ pieces }: VideoPlatform): number =>
  [...pieces.values()].reduce((sum, bytes) => sum + bytes, 0);

/** Takes chunks in their order by PUT; the last one makes the post. */
export async function startTikTok(workspace: Workspace): Promise<VideoPlatform> {
  const scene = scripted("tiktok");
  let size = 0;
  const origin = await serve(workspace, async (request, { pathname }, response) => {
    if (request.method === "PUT") {
      const [, first] = /^bytes (\d+)-/.exec(String(request.headers["content-range"])) ?? [];
      take(scene, Number(first), await bytesOf(request));
      const arrived = arrivedAt(scene);
      response.statusCode = arrived < size ? 206 : 201;
      response.setHeader("content-range", `bytes 0-${arrived - 1}/${size}`);
      return {};
    }
    const body = (await bodyOf(request)).toString();
    if (pathname.endsWith("/video/init/")) {
      ({ video_size: size } = (
        JSON.parse(body) as { source_info: { video_size: number } }
      ).source_info);
    }
    return {
      data: {
        user: { open_id: "ada", display_name: "Ada", username: "ada" },
        creator_username: "ada",
        privacy_level_options: ["PUBLIC_TO_EVERYONE", "SELF_ONLY"],
        max_video_post_duration_sec: 600,
        publish_id: "v_pub_1",
        upload_url: "https://open-upload.tiktokapis.com/video/?upload_id=1",
        status: "PUBLISH_COMPLETE",
        uploaded_bytes: arrivedAt(scene),
        publicaly_available_post_id: [1],
      },
      error: { code: "ok", message: "" },
    };
  });
  scene.origins = {
    "https://open.tiktokapis.com": origin,
    "https://open-upload.tiktokapis.com": origin,
  };
  return scene;
}

const X_ID = "1900000000000000001";

/** Takes numbered segments as forms, then is at work for a second. */
export async function startX(workspace: Workspace): Promise<VideoPlatform> {
  const scene = scripted("x");
  const origin = await serve(workspace, async (request, { pathname }, response) => {
    const body = await bodyOf(request);
    if (pathname.endsWith("/append")) {
      const headers = { "content-type": String(request.headers["content-type"]) };
      const form = await new Response(body, { headers }).formData();
      take(scene, Number(form.get("segment_index")), (form.get("media") as File).size);
    }
    if (pathname === "/2/tweets") response.statusCode = 201;
    const isWhole = pathname.endsWith("/finalize");
    const state = isWhole ? { state: "pending", check_after_secs: 1 } : { state: "succeeded" };
    return {
      data: { id: X_ID, name: "Ada", username: "ada", text: "A film", processing_info: state },
    };
  });
  scene.origins = { "https://api.x.com": origin };
  return scene;
}

const VIDEO = { id: "aaaaaaaaaaa", status: { uploadStatus: "processed", privacyStatus: "public" } };
const CHANNEL = { id: "UC1", snippet: { title: "Ada" }, status: { longUploadsStatus: "allowed" } };

/** Takes chunks in their order by PUT; the last one makes the video. */
export async function startYouTube(workspace: Workspace): Promise<VideoPlatform> {
  const scene = scripted("youtube");
  const origin = await serve(workspace, async (request, { pathname }, response) => {
    if (request.method === "PUT") {
      const [, first, size] =
        /^bytes (\d+)-\d+\/(\d+)$/.exec(String(request.headers["content-range"])) ?? [];
      take(scene, Number(first), await bytesOf(request));
      const arrived = arrivedAt(scene);
      if (arrived === Number(size)) return VIDEO;
      response.statusCode = 308;
      response.setHeader("range", `bytes=0-${arrived - 1}`);
      return {};
    }
    await bodyOf(request);
    if (pathname.startsWith("/upload/")) {
      scene.reset();
      response.setHeader("location", `https://www.googleapis.com${pathname}?upload_id=1`);
      return {};
    }
    return { items: [pathname.endsWith("/channels") ? CHANNEL : VIDEO] };
  });
  scene.origins = { "https://www.googleapis.com": origin };
  return scene;
}
