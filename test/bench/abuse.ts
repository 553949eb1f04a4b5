import type { Bundle } from "./bundle.ts";
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

export const multipartType = `multipart/form-data; boundary=${BOUNDARY}`;

/** Larger than what is dropped of a refused body: its sender may lose the connection, and its answer. */
const CUT = 0;

const field = (bytes: number) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="title"\r\n\r\n${"x".repeat(bytes)}\r\n`;

interface HostileBody {
  what: string;
  make(): string;
  /** Accepted answers to a known caller. */
  statuses: readonly number[];
}

export const HOSTILE_BODIES: readonly HostileBody[] = [
  { what: "no last boundary", make: () => PART.repeat(40), statuses: [400] },
  { what: "100,000 parts", make: () => PART.repeat(100_000), statuses: [400] },
  {
    what: "a part header of 1 MB",
    make: () => `--${BOUNDARY}\r\nX-Filler: ${"x".repeat(1_000_000)}\r\n\r\n1\r\n`,
    statuses: [400],
  },
  {
    what: "a part header that does not end",
    make: () => `--${BOUNDARY}\r\n${"x".repeat(1_000_000)}`,
    statuses: [400],
  },
  {
    what: "60 fields of 250 KB",
    make: () => field(250_000).repeat(60),
    statuses: [413],
  },
  { what: "a preamble of 90 MB", make: () => "x".repeat(90_000_000), statuses: [413, CUT] },
];

async function send(
  instance: Instance,
  token: string,
  body: string,
  statuses: readonly number[],
): Promise<void> {
  const answer = await fetch(`${instance.url}/api/v1/upload`, {
    method: "POST",
    headers: { "x-api-key": token, "content-type": multipartType },
    body,
  });
  await answer.arrayBuffer();
  if (!statuses.includes(answer.status))
    throw new Error(`A hostile body was answered ${answer.status}`);
}

/** Measures the cost of refusing hostile bodies. */
export async function measureAbuse(workspace: Workspace, bundle: Bundle): Promise<Row[]> {
  const instance = await startAkimbo(workspace, { bundle });
  const { token } = await createTeam(instance, 1);
  const rows: Row[] = [];
  // Where the connection may be lost no answer can be waited for: the proofs send those.
  const answered = HOSTILE_BODIES.filter(({ statuses }) => !statuses.includes(CUT));
  for (const { what, make, statuses } of answered) {
    const body = make();
    await send(instance, token, body, statuses);
    let cpu = Number.POSITIVE_INFINITY;
    let memory = 0;
    for (let i = 0; i < REPEATS; i++) {
      const before = exactCpuMs(instance.pid);
      memory = Math.max(
        memory,
        await peakMemoryMb(instance.pid, () => send(instance, token, body, statuses)),
      );
      cpu = Math.min(cpu, exactCpuMs(instance.pid) - before);
    }
    rows.push(atMost(`${what}: CPU until it is refused`, cpu, MAX_CPU_MS, " ms"));
    rows.push(atMost(`${what}: memory`, memory, MAX_MORE_MB, " MB"));
  }
  await instance.stop();
  return rows;
}
