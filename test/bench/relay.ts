import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { SAMPLE_VIDEO_BASE64 } from "../../src/cli/sample-video.ts";
import { startAkimbo } from "./instance.ts";
import { residentMemoryMb } from "./process-cost.ts";
import { atMost, note, type Row } from "./report.ts";
import { createTeam } from "./team.ts";
import type { Workspace } from "./workspace.ts";

const GIBIBYTE = 1_024 ** 3;
const MAX_MORE_MB = 80;
const PART_BYTES = 8 * 1_024 ** 2;
const PATIENCE_MS = 120_000;
const KEY = "media/1/relayed";

/**
 * Stands before the Worker and makes a film of the wished size in storage: a real one with free space
 * behind it. A call stands for the cron trigger.
 */
const ENTRY = `
import worker from "./worker.js";
export * from "./worker.js";
export default { ...worker, fetch: async (request, env, context) => {
  const url = new URL(request.url);
  if (url.pathname === "/bench/tick") {
    await worker.scheduled({ cron: "* * * * *" }, env, context);
    return new Response(null, { status: 204 });
  }
  if (url.pathname !== "/bench/store") return worker.fetch(request, env, context);
  const head = new Uint8Array(await request.arrayBuffer());
  const size = Number(url.searchParams.get("size"));
  const upload = await env.MEDIA.createMultipartUpload(${JSON.stringify(KEY)});
  const parts = [];
  for (let offset = 0; offset < size; offset += ${PART_BYTES}) {
    const part = new Uint8Array(Math.min(${PART_BYTES}, size - offset));
    if (offset === 0) part.set(head);
    parts.push(await upload.uploadPart(parts.length + 1, part));
  }
  await upload.complete(parts);
  return new Response(null, { status: 204 });
} };`;

/** The film's head: the sample, then the header of a box of nothing that lasts to the end. */
function headOf(size: number): Uint8Array<ArrayBuffer> {
  const film = Buffer.from(SAMPLE_VIDEO_BASE64, "base64");
  const box = Buffer.alloc(16);
  box.writeUInt32BE(1, 0);
  box.write("free", 4, "latin1");
  box.writeBigUInt64BE(BigInt(size - film.length), 8);
  return new Uint8Array(Buffer.concat([film, box]));
}

const bytesOf = async (request: IncomingMessage): Promise<number> => {
  let bytes = 0;
  for await (const chunk of request) bytes += (chunk as Buffer).length;
  return bytes;
};

/** TikTok on loopback: takes the chunks of a video, and counts. */
async function startTikTok(workspace: Workspace) {
  const seen = { bytes: 0, largest: 0 };
  let size = 0;
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? "", "http://127.0.0.1").pathname;
    if (request.method === "PUT") {
      const bytes = await bytesOf(request);
      seen.bytes += bytes;
      seen.largest = Math.max(seen.largest, bytes);
      response.writeHead(seen.bytes < size ? 206 : 201, {
        "content-range": `bytes 0-${seen.bytes - 1}/${size}`,
      });
      return response.end();
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const isInit = path.endsWith("/video/init/");
    if (isInit)
      size = (JSON.parse(body) as { source_info: { video_size: number } }).source_info.video_size;
    const data = {
      user: { open_id: "ada", display_name: "Ada", username: "ada" },
      creator_username: "ada",
      privacy_level_options: ["PUBLIC_TO_EVERYONE", "SELF_ONLY"],
      max_video_post_duration_sec: 600,
      publish_id: "v_pub_1",
      upload_url: "https://open-upload.tiktokapis.com/video/?upload_id=1",
      status: "PUBLISH_COMPLETE",
      uploaded_bytes: seen.bytes,
      publicaly_available_post_id: [1],
    };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ data, error: { code: "ok", message: "" } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  workspace.onEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { seen, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Memory of the server while it passes a large video on, chunk by chunk. */
export async function measureRelay(
  workspace: Workspace,
  script: string,
  size = GIBIBYTE,
): Promise<Row[]> {
  const { seen, origin } = await startTikTok(workspace);
  const replaced = {
    "https://open.tiktokapis.com": origin,
    "https://open-upload.tiktokapis.com": origin,
  };
  const instance = await startAkimbo(workspace, {
    script,
    entry: ENTRY,
    variables: { PLATFORM_ORIGINS: JSON.stringify(replaced) },
  });
  const { id: teamId, token } = await createTeam(instance, 1);
  const send = async (path: string, init: RequestInit) => {
    const answer = await fetch(instance.url + path, {
      ...init,
      headers: { "x-api-key": token, ...init.headers },
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return answer;
  };
  await send(`/bench/store?size=${size}`, { method: "POST", body: headOf(size) });
  const connected = await send("/api/v1/accounts", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ platform: "tiktok", credentials: { accessToken: "fresh" } }),
  });
  const { data: account } = (await connected.json()) as { data: { id: string } };
  const samples: number[] = [];
  const passOn = async () => {
    seen.bytes = 0;
    const fields = new FormData();
    fields.set("accountId", account.id);
    fields.set("title", "A long film");
    fields.set("status", "draft");
    fields.set("video", new Blob([Buffer.from(SAMPLE_VIDEO_BASE64, "base64")]), "film.mp4");
    const created = await send("/api/v1/upload", { method: "POST", body: fields });
    const { data: upload } = (await created.json()) as { data: { uploadId: number } };
    // The draft's film becomes the large one, and the draft goes out.
    await instance.store([
      `UPDATE media SET object_key = '${KEY}', size_bytes = ${size} WHERE team_id = ${teamId}`,
      `UPDATE uploads SET status = 'pending', status_group = 'pending', due_at = ${Date.now()}
        WHERE id = ${upload.uploadId}`,
    ]);
    await send("/bench/tick", {});
    const patience = performance.now() + PATIENCE_MS;
    while (performance.now() < patience) {
      const answer = await send(`/api/v1/upload/${upload.uploadId}`, {});
      const { data } = (await answer.json()) as { data: { status: string; errorMessage: string } };
      if (data.status === "completed") return;
      if (data.status === "failed") throw new Error(data.errorMessage);
      samples.push(residentMemoryMb(instance.pid));
      await sleep(100);
    }
    throw new Error("The film is not out.");
  };
  // Once before, so that what the runtime keeps for itself is not counted.
  await passOn();
  samples.length = 0;
  const before = residentMemoryMb(instance.pid);
  const startedAt = performance.now();
  await passOn();
  const seconds = (performance.now() - startedAt) / 1_000;
  await instance.stop();
  const quarter = Math.ceil(samples.length / 4);
  const mostOf = (part: number[]) => Math.max(...part) - before;
  const what = `a video of ${(size / GIBIBYTE).toFixed(0)} GiB to TikTok`;
  return [
    atMost(`${what}: bytes that did not arrive`, size - seen.bytes, 0),
    atMost(`${what}: memory at its peak`, mostOf(samples), MAX_MORE_MB, " MB"),
    note(
      "the first and the last quarter of it",
      `${mostOf(samples.slice(0, quarter)).toFixed(0)} MB, ${mostOf(samples.slice(-quarter)).toFixed(0)} MB`,
    ),
    note("largest single request", `${(seen.largest / 1e6).toFixed(0)} MB`),
    note("passed on in", `${seconds.toFixed(0)} s`),
  ];
}
