import type { Bundle } from "./bundle.ts";
import { startAkimbo } from "./instance.ts";
import { exactCpuMs } from "./process-cost.ts";
import { atMost, note, type Row } from "./report.ts";
import { createTeam } from "./team.ts";
import type { Workspace } from "./workspace.ts";

const ROWS = 500;
const MAX_SECONDS = 10;
const MINUTE_MS = 60_000;
/** Two days away from now and 15 minutes apart, so that the posts of a sheet fit into their account's days. */
const FIRST_POST_MS = 2_880 * MINUTE_MS;
const APART_MS = 15 * MINUTE_MS;

/** Texts that are not alike. */
const words = (n: number): string =>
  Array.from({ length: 12 }, (_, i) => ((n * 2_654_435_761 + i * 40_503) >>> 7).toString(36)).join(
    " ",
  );

function sheetOf(account: string, now: number): string {
  const rows = Array.from({ length: ROWS }, (_, i) => {
    const date = new Date(now + FIRST_POST_MS + i * APART_MS).toISOString();
    return `${account},${words(i)} number ${i},${date}`;
  });
  return ["account,description,scheduledFor", ...rows].join("\n");
}

/** Sheets of 500 rows, each for an account of its own, imported one after another over HTTP. */
export async function measureSheets(
  workspace: Workspace,
  bundle: Bundle,
  sheets: number,
): Promise<Row[]> {
  const instance = await startAkimbo(workspace, { bundle, variables: { SANDBOX: "on" } });
  const { token } = await createTeam(instance, 1);
  const api = async (path: string, body: string | FormData) => {
    const headers = {
      "x-api-key": token,
      ...(typeof body === "string" ? { "content-type": "application/json" } : {}),
    };
    const answer = await fetch(`${instance.url}/api/v1${path}`, { method: "POST", headers, body });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
  const seconds: number[] = [];
  let made = 0;
  let cpuMs = 0;
  for (let i = 0; i < sheets; i++) {
    const { data } = (await api(
      "/accounts",
      JSON.stringify({ platform: "bluesky", sandbox: true, name: `Sheet ${i}` }),
    )) as { data: { id: string } };
    const form = new FormData();
    form.set("file", new File([sheetOf(data.id, Date.now())], "posts.csv", { type: "text/csv" }));
    form.set("dryRun", "false");
    const [startedAt, cpuBefore] = [performance.now(), exactCpuMs(instance.pid)];
    const { created } = (await api("/upload/import", form)) as { created: number };
    seconds.push((performance.now() - startedAt) / 1_000);
    cpuMs += exactCpuMs(instance.pid) - cpuBefore;
    made += created;
  }
  await instance.stop();
  if (made !== sheets * ROWS) throw new Error(`${made} of ${sheets * ROWS} posts were made.`);
  const sorted = seconds.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return [
    atMost(`a sheet of ${ROWS} rows, p95 of ${sheets}`, at(0.95), MAX_SECONDS, " s"),
    note("… the median", `${at(0.5).toFixed(1)} s`),
    note("… CPU of the whole server, its database among it", `${Math.round(cpuMs / sheets)} ms`),
  ];
}
