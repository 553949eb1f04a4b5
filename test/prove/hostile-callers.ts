import { readFileSync } from "node:fs";
import { request } from "node:http";
import { HOSTILE_BODIES, multipartType } from "../bench/abuse.ts";
import { type Instance, startAkimbo } from "../bench/instance.ts";
import { canMeasureCpu, exactCpuMs, peakMemoryMb } from "../bench/process-cost.ts";
import { createTeam } from "../bench/team.ts";
import { Workspace } from "../bench/workspace.ts";
import type { Verdicts } from "./verdicts.ts";
import type { Proof } from "./worlds.ts";

const AT_ONCE = 8;
const ROUNDS = 3;
const MAX_CPU_MS = 50;
const MAX_MORE_MB = 64;
const MAX_TOKENS = 10;
const GUESSES = 50;
const CALL_MS = 20_000;

/** Room for every call of this part; the rule of ten tokens cannot be switched off with it. */
const ROOM = { limit: 100_000, windowSeconds: 900 };

interface Answer {
  /** 0 where the connection was closed without one. */
  status: number;
  text: string;
}

interface Caller {
  token: string;
  address: string;
}

/** A body that is written however little of it is wanted; never rejects. */
function post({ url }: Instance, { token, address }: Caller, body: Buffer): Promise<Answer> {
  return new Promise((resolve) => {
    const headers = {
      "x-api-key": token,
      "cf-connecting-ip": address,
      "content-type": multipartType,
      "content-length": body.length,
    };
    const call = request(
      `${url}/api/v1/upload`,
      { method: "POST", agent: false, headers, timeout: CALL_MS },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("error", () => {});
        response.on("close", () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    call.on("timeout", () => call.destroy());
    call.on("error", () => resolve({ status: 0, text: "" }));
    call.end(body);
  });
}

let guesses = 0;
const guess = (): string => `kmb_${(++guesses).toString(16).padStart(64, "d")}`;
/** Returns a caller with a guessed token, from a new address. */
const stranger = (): Caller => ({
  token: guess(),
  address: `198.18.${guesses >> 8}.${guesses & 255}`,
});

/** Part E: bodies and tokens that are made to hurt, by many at once, known and unknown. */
export async function playHostileCallers({ script, verdicts }: Proof): Promise<void> {
  console.log(`\nHostile callers: ${AT_ONCE} at once`);
  const workspace = new Workspace();
  try {
    const instance = await startAkimbo(workspace, {
      bundle: [{ name: "worker.js", text: readFileSync(script, "utf8") }],
      variables: {
        ENVIRONMENT: "production",
        RATE_LIMITS: JSON.stringify({ "upload-create": ROOM, read: ROOM }),
      },
    });
    const { token } = await createTeam(instance, 1);
    await refuseGuesses(instance, verdicts);
    await countParts(instance, { token, address: "198.19.0.1" }, verdicts);
    if (!canMeasureCpu) {
      console.log(
        "  skipped: CPU and memory are read from /proc, which this machine does not have",
      );
      return;
    }
    for (const { what, make, statuses } of HOSTILE_BODIES) {
      const body = Buffer.from(make());
      const known = () => ({ token, address: "198.19.0.1" });
      await refuseBodies(instance, verdicts, `${what}, known`, body, known, statuses);
      await refuseBodies(instance, verdicts, `${what}, unknown`, body, stranger, [401, 0]);
    }
  } finally {
    await workspace.end();
  }
}

/** A4: from the eleventh token of an address on, nothing is asked of the database. */
async function refuseGuesses(instance: Instance, verdicts: Verdicts): Promise<void> {
  const address = "198.19.0.2";
  const call = async () => {
    const headers = { "x-api-key": guess(), "cf-connecting-ip": address };
    return (await fetch(`${instance.url}/api/v1/upload`, { headers })).status;
  };
  const statements = async () => {
    const answer = await fetch(`${instance.url}/prove/statements`);
    return ((await answer.json()) as { count: number }).count;
  };
  const first: number[] = [];
  for (let i = 0; i < MAX_TOKENS; i++) first.push(await call());
  const before = await statements();
  const later: number[] = [];
  for (let i = 0; i < GUESSES; i++) later.push(await call());
  const asked = (await statements()) - before;
  const is429 = later.filter((status) => status === 429).length;
  verdicts.check(
    `A4   tokens 11 to ${MAX_TOKENS + GUESSES} of an address: ${is429} of ${GUESSES} answered 429, ${asked} statements asked of the database`,
    first.every((status) => status === 401) && is429 === GUESSES && asked === 0,
    [`the first ten: ${first.join(" ")}`, `after them: ${later.join(" ")}`],
  );
}

/** A7: how many parts of a form are taken. */
async function countParts(instance: Instance, caller: Caller, verdicts: Verdicts): Promise<void> {
  const fields = (count: number) =>
    Buffer.from(
      `${'--akimbo-bench\r\nContent-Disposition: form-data; name="title"\r\n\r\n1\r\n'.repeat(count)}--akimbo-bench--\r\n`,
    );
  const isTooMany = async (count: number) =>
    (await post(instance, caller, fields(count))).text.includes("more than 64 parts");
  const [max, more] = [await isTooMany(64), await isTooMany(65)];
  verdicts.check("A7   64 parts of a form are taken, 65 are not", !max && more);
}

/** A7: the dearest of the calls on average, and all their memory together. */
async function refuseBodies(
  instance: Instance,
  verdicts: Verdicts,
  what: string,
  body: Buffer,
  caller: () => Caller,
  statuses: readonly number[],
): Promise<void> {
  const answers: Answer[] = [];
  const sendAll = async () => {
    const calls = Array.from({ length: AT_ONCE }, () => post(instance, caller(), body));
    answers.push(...(await Promise.all(calls)));
  };
  await sendAll();
  let cpuMs = Number.POSITIVE_INFINITY;
  let memoryMb = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const before = exactCpuMs(instance.pid);
    memoryMb = Math.max(memoryMb, await peakMemoryMb(instance.pid, sendAll));
    cpuMs = Math.min(cpuMs, (exactCpuMs(instance.pid) - before) / AT_ONCE);
  }
  const wrong = answers.filter(({ status }) => !statuses.includes(status));
  verdicts.check(
    `A7   ${what}: ${cpuMs.toFixed(1)} ms of CPU each (≤ ${MAX_CPU_MS}), ${memoryMb.toFixed(0)} MB more for all (≤ ${MAX_MORE_MB})`,
    wrong.length === 0 && cpuMs <= MAX_CPU_MS && memoryMb <= MAX_MORE_MB,
    wrong.map(({ status, text }) => `answered ${status} ${text.slice(0, 100)}`),
  );
}
