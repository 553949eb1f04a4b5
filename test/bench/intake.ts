import { startAkimbo } from "./instance.ts";
import { peakMemoryMb } from "./process-cost.ts";
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

/** A draft with a large video, made while it is sent; `number` makes each content another. */
function body(accountId: string, number: number): ReadableStream<Uint8Array> {
  const text = new TextEncoder();
  const field = (name: string, value: string) =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const parts: Iterator<Uint8Array> = (function* () {
    yield text.encode(field("accountId", accountId) + field("status", "draft"));
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

/** Memory of the server while it takes in large files; the simulated storage is part of it. */
export async function measureIntake(workspace: Workspace, script: string): Promise<Row[]> {
  const instance = await startAkimbo(workspace, { script, variables: { SANDBOX: "on" } });
  const { token } = await createTeam(instance, 1);
  const connected = await fetch(`${instance.url}/api/v1/accounts`, {
    method: "POST",
    headers: { "x-api-key": token, "content-type": "application/json" },
    body: JSON.stringify({ platform: "bluesky", sandbox: true }),
  });
  const { data } = (await connected.json()) as { data: { id: string } };
  let number = 0;
  const send = async () => {
    const answer = await fetch(`${instance.url}/api/v1/upload`, {
      method: "POST",
      headers: {
        "x-api-key": token,
        "content-type": `multipart/form-data; boundary=${BOUNDARY}`,
      },
      body: body(data.id, number++),
      duplex: "half",
    } as RequestInit);
    if (!answer.ok)
      throw new Error(`POST /upload answered ${answer.status}: ${await answer.text()}`);
  };
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
