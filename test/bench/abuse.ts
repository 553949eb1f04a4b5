import { type Instance, startAkimbo } from "./instance.ts";
import { exactCpuMs, peakMemoryMb } from "./process-cost.ts";
import { atMost, type Row } from "./report.ts";
import { createTeam } from "./team.ts";
import type { Workspace } from "./workspace.ts";

const MAX_CPU_MS = 50;
const MAX_MORE_MB = 64;
const REPEATS = 5;
const BOUNDARY = "akimbo-bench";
const PART = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="x"\r\n\r\n1\r\n`;

const BODIES: [what: string, body: () => string][] = [
  ["no last boundary", () => PART.repeat(40)],
  ["100,000 parts", () => PART.repeat(100_000)],
  [
    "a part header of 1 MB",
    () => `--${BOUNDARY}\r\nX-Filler: ${"x".repeat(1_000_000)}\r\n\r\n1\r\n`,
  ],
  ["a part header that does not end", () => `--${BOUNDARY}\r\n${"x".repeat(1_000_000)}`],
];

async function send(instance: Instance, token: string, body: string): Promise<void> {
  const answer = await fetch(`${instance.url}/api/v1/upload`, {
    method: "POST",
    headers: { "x-api-key": token, "content-type": `multipart/form-data; boundary=${BOUNDARY}` },
    body,
  });
  await answer.arrayBuffer();
  if (answer.status !== 400) throw new Error(`A hostile body was answered ${answer.status}`);
}

/** What it costs to refuse bodies that are made to hurt. */
export async function measureAbuse(workspace: Workspace, script: string): Promise<Row[]> {
  const instance = await startAkimbo(workspace, { script });
  const { token } = await createTeam(instance, 1);
  const rows: Row[] = [];
  for (const [what, make] of BODIES) {
    const body = make();
    await send(instance, token, body);
    let cpu = Number.POSITIVE_INFINITY;
    let memory = 0;
    for (let i = 0; i < REPEATS; i++) {
      const before = exactCpuMs(instance.pid);
      memory = Math.max(
        memory,
        await peakMemoryMb(instance.pid, () => send(instance, token, body)),
      );
      cpu = Math.min(cpu, exactCpuMs(instance.pid) - before);
    }
    rows.push(atMost(`${what}: CPU until it is refused`, cpu, MAX_CPU_MS, " ms"));
    rows.push(atMost(`${what}: memory`, memory, MAX_MORE_MB, " MB"));
  }
  await instance.stop();
  return rows;
}
