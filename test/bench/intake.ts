import type { Bundle } from "./bundle.ts";
import { type Instance, startAkimbo, startBare } from "./instance.ts";
import { exactCpuMs, peakMemoryMb } from "./process-cost.ts";
import { atMost, note, type Row } from "./report.ts";
import { createTeam } from "./team.ts";
import type { Workspace } from "./workspace.ts";

const FILE_BYTES = 95_000_000;
const MAX_ONE_MB = 200;
const MAX_FOUR_MB = 300;
const BOUNDARY = "akimbo-bench";
const CHUNK = new Uint8Array(256 * 1_024).fill(65);
/** How an MP4 begins; the rest of the file is never read here. */
const MP4_HEAD = new TextEncoder().encode("\0\0\0\x20ftypisom\0\0\x02\0isomiso2avc1mp41");

/** A form with a large video, made while it is sent; `number` makes each content another. */
function body(fields: Record<string, string>, number: number): ReadableStream<Uint8Array> {
  const text = new TextEncoder();
  const field = (name: string, value: string) =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const parts: Iterator<Uint8Array> = (function* () {
    for (const [name, value] of Object.entries(fields)) yield text.encode(field(name, value));
    yield text.encode(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="video"; filename="a.mp4"\r\n\r\n`,
    );
    yield MP4_HEAD;
    yield text.encode(String(number));
    for (let left = FILE_BYTES; left > 0; left -= CHUNK.length) {
      yield CHUNK.subarray(0, Math.min(left, CHUNK.length));
    }
    yield text.encode(`\r\n--${BOUNDARY}--\r\n`);
  })();
  return new ReadableStream({
    pull: (controller) => {
      const { value, done } = parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

async function sendForm(
  url: string,
  token: string,
  fields: Record<string, string>,
  number: number,
): Promise<void> {
  const answer = await fetch(url, {
    method: "POST",
    headers: {
      "x-api-key": token,
      "content-type": `multipart/form-data; boundary=${BOUNDARY}`,
    },
    body: body(fields, number),
    duplex: "half",
  } as RequestInit);
  const said = await answer.text();
  if (!answer.ok) throw new Error(`POST ${url} answered ${answer.status}: ${said}`);
}

/** Reads a body and does nothing with it. */
const READER = `export default {
  fetch: async ({ body }) => {
    for await (const _ of body ?? []);
    return new Response();
  },
};`;

const REPEATS = 3;
/** The free plan's limit for a whole request. Source: Workers, "Limits". */
const FREE_CPU_MS = 10;
const MEGABYTE = 1_000_000;

/** Least CPU that a call took, in ms for each MB of its body. */
async function cpuPerMegabyte({ pid }: Instance, call: () => Promise<void>): Promise<number> {
  await call();
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < REPEATS; i++) {
    const before = exactCpuMs(pid);
    await call();
    least = Math.min(least, exactCpuMs(pid) - before);
  }
  return least / (FILE_BYTES / MEGABYTE);
}

/** Measures files sent in a request: CPU without storage, and memory with it. */
export async function measureIntake(workspace: Workspace, bundle: Bundle): Promise<Row[]> {
  return [...(await measureCpu(workspace, bundle)), ...(await measureMemory(workspace, bundle))];
}

/** A dry run reads, tells apart and hashes its files, and stores nothing. */
async function measureCpu(workspace: Workspace, bundle: Bundle): Promise<Row[]> {
  const instance = await startAkimbo(workspace, { bundle });
  const { token } = await createTeam(instance, 1);
  const fields = { accounts: '["acc_bench"]', title: "A large video" };
  let number = 0;
  const judged = await cpuPerMegabyte(instance, () =>
    sendForm(`${instance.url}/api/v1/upload/validate`, token, fields, number++),
  );
  await instance.stop();
  const reader = await startBare(workspace, READER);
  const read = await cpuPerMegabyte(reader, () => sendForm(reader.url, token, fields, number++));
  await reader.stop();
  return [
    note("a form with a file: CPU to read, parse and hash a MB", `${judged.toFixed(1)} ms`),
    note("a Worker that only reads it, as the runtime hands it out", `${read.toFixed(1)} ms`),
    note("fits the free plan's 10 ms of CPU", `${(FREE_CPU_MS / judged).toFixed(1)} MB at most`),
  ];
}

/** Memory of the server while it takes in large files; the simulated storage is part of it. */
async function measureMemory(workspace: Workspace, bundle: Bundle): Promise<Row[]> {
  const instance = await startAkimbo(workspace, { bundle, variables: { SANDBOX: "on" } });
  const { token } = await createTeam(instance, 1);
  const connected = await fetch(`${instance.url}/api/v1/accounts`, {
    method: "POST",
    headers: { "x-api-key": token, "content-type": "application/json" },
    body: JSON.stringify({ platform: "bluesky", sandbox: true }),
  });
  const { data } = (await connected.json()) as { data: { id: string } };
  let number = 0;
  const fields = { accountId: data.id, status: "draft" };
  const send = () => sendForm(`${instance.url}/api/v1/upload`, token, fields, number++);
  await send();
  const startedAt = performance.now();
  const one = await peakMemoryMb(instance.pid, send);
  const seconds = (performance.now() - startedAt) / 1_000;
  const four = await peakMemoryMb(instance.pid, async () => {
    await Promise.all([send(), send(), send(), send()]);
  });
  await instance.stop();
  return [
    atMost("a video of 95 MB, memory at its peak", one, MAX_ONE_MB, " MB"),
    atMost("four at once", four, MAX_FOUR_MB, " MB"),
    note("a video of 95 MB, sent and stored", `${seconds.toFixed(1)} s`),
  ];
}
