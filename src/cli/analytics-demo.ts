import { rmSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { PLATFORMS, type Platform } from "../core/platforms.ts";
import { addSeconds, DAY, HOUR, MINUTE, SECOND } from "../core/time.ts";
import { formatAnalytics } from "./analytics-report.ts";
import { type Api, createApi, type Form } from "./api.ts";
import { createFilm, createPhoto } from "./demo-posts.ts";
import { startInstance } from "./local-instance.ts";
import { inProject, readStateDir, showPath } from "./paths.ts";
import { stopGroups } from "./process-group.ts";
import { Problem } from "./program.ts";
import { describeNetworkError, TemporaryProblem } from "./retry.ts";
import { readDemoTokenVariable } from "./seed.ts";
import { findFreePort, readPort } from "./server.ts";
import { type PlannedPost, planYear } from "./year-plan.ts";

interface Options {
  seed: number;
  days: number;
}

/** Collecting starts at 03:00. */
const NIGHT_MS = 3 * HOUR + 5 * MINUTE;
const NIGHT_TICKS = 3;
const PLANNED_DAYS = 7;
/** LinkedIn logins end after a year, so the demo connects again after this time. */
const LINKEDIN_DAYS = 180;
const AT_ONCE = 2;
const VARS = { ENVIRONMENT: "development", RATE_LIMITS: "off", CLOCK_OFFSET: "0" };

export async function runAnalyticsDemo(
  { seed, days }: Options,
  stopping: AbortSignal,
): Promise<number> {
  const stateDir = await prepareStateDir();
  const memory = await folderInMemory();
  if (!memory) return await run({ seed, days, stopping }, stateDir, stateDir);
  const clear = () => rmSync(memory, { recursive: true, force: true });
  process.on("exit", clear);
  const exitCode = await run({ seed, days, stopping }, memory, stateDir);
  await stopGroups();
  await cp(memory, stateDir, { recursive: true });
  return exitCode;
}

const MEMORY = "/dev/shm";
const ROOM_BYTES = 2e9;

async function folderInMemory(): Promise<string | null> {
  const disk = await statfs(MEMORY).catch(() => null);
  if (!disk || disk.bavail * disk.bsize < ROOM_BYTES) return null;
  return await mkdtemp(join(MEMORY, "akimbo-year-"));
}

async function run(
  { seed, days, stopping }: Options & { stopping: AbortSignal },
  folder: string,
  stateDir: string,
): Promise<number> {
  const port = process.env.PORT ? readPort() : await findFreePort();
  const { server, token } = await startInstance({
    port,
    stateDir: folder,
    vars: VARS,
    chosenToken: readDemoTokenVariable(process.env),
  });
  if (!token) throw new Problem(`${showPath(stateDir)} holds somebody else's workspace.`);
  const api = createApi(server.origin, token);
  const time = simulatedTimeOf(server.origin);
  const startedAt = performance.now();
  await liveThrough({ api, time, seed, days, stopping });
  await time.moveTo(0);
  const seconds = (performance.now() - startedAt) / 1_000;
  const accounts = await api.listAccounts();
  const analytics = await Promise.all(accounts.map(({ id }) => api.getAnalytics(id)));
  console.log(`\n${formatAnalytics(await api.getOverview(), accounts, analytics)}`);
  console.log(`\n${days} days in ${seconds.toFixed(0)} s. Look at them:\n`);
  console.log(describeStart(stateDir, token));
  const failed = await api.listUploads({ status: "failed" });
  for (const { id, errorMessage } of failed) console.error(`Post ${id} failed: ${errorMessage}`);
  return failed.length === 0 ? 0 : 1;
}

/**
 * Empties the folder of an earlier run, or creates it.
 *
 * @throws Problem for a folder that this demo did not make
 */
async function prepareStateDir(): Promise<string> {
  const isChosen = Boolean(process.env.STATE_DIR);
  const stateDir = isChosen ? readStateDir() : inProject(".wrangler", "analytics-demo");
  if (!isChosen) await rm(stateDir, { recursive: true, force: true });
  await mkdir(stateDir, { recursive: true });
  if ((await readdir(stateDir)).length === 0) return stateDir;
  throw new Problem(`${showPath(stateDir)} is not empty. Let STATE_DIR name a new folder.`);
}

const SIMULATION_TIMEOUT_MS = 120_000;

function simulatedTimeOf(origin: string) {
  const post = async (path: string, body: object): Promise<void> => {
    const response = await fetch(`${origin}/sandbox/api/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(SIMULATION_TIMEOUT_MS),
    }).catch((error: unknown) => {
      throw new TemporaryProblem(`${origin} cannot be reached: ${describeNetworkError(error)}`);
    });
    const text = await response.text();
    if (response.ok || response.status === 404) return;
    throw new TemporaryProblem(
      `POST /sandbox/api/${path}: ${response.status} ${text.slice(0, 200)}`,
    );
  };
  return {
    /** Sets the clock's offset from real time. */
    moveTo: (offsetSeconds: number) => post("clock", { offsetSeconds }),
    /** Moves the clock to an instant and runs the schedule for `ticks` minutes. */
    leapTo: (at: Date, ticks = 1) => post("clock", { at, ticks }),
    /** Simulates a post from the platform's own app. Does nothing while the account has no posts. */
    postByHand: (at: Date, accountId: string, text: string) =>
      post("posts", { at, accountId, text }),
  };
}

interface Life extends Options {
  api: Api;
  time: ReturnType<typeof simulatedTimeOf>;
  stopping: AbortSignal;
}

async function liveThrough({ api, time, seed, days, stopping }: Life): Promise<void> {
  const lastNight = Math.floor((Date.now() - NIGHT_MS - NIGHT_TICKS * MINUTE) / DAY) * DAY;
  const from = new Date(lastNight - days * DAY);
  const plan = planYear(seed, from, days);
  await time.moveTo(Math.floor((from.getTime() - Date.now()) / SECOND));
  const { accounts, connectPage } = await connectAll(api, plan.name);
  const boardId = await firstBoard(api, accounts);
  console.log(
    `${plan.name}: ${plan.posts.length} posts in ${days} days, on ${accounts.size} platforms …`,
  );

  const steps: { at: number; do(): Promise<unknown> }[] = plan.posts.map(({ at }) => ({
    at: at.getTime(),
    do: () => time.leapTo(at),
  }));
  for (const { at, platform, text } of plan.handPosts) {
    const accountId = accounts.get(platform) ?? "";
    steps.push({ at: at.getTime(), do: () => time.postByHand(at, accountId, text) });
  }
  for (let day = 0; day <= days; day++) {
    const midnight = addSeconds(from, (day * DAY) / SECOND);
    const night = new Date(midnight.getTime() + NIGHT_MS);
    steps.push({ at: night.getTime(), do: () => time.leapTo(night, NIGHT_TICKS) });
    if (day % LINKEDIN_DAYS === LINKEDIN_DAYS - 1) {
      steps.push({ at: night.getTime() + 1, do: connectPage });
    }
    if (day % PLANNED_DAYS > 0) continue;
    const until = addSeconds(midnight, (PLANNED_DAYS * DAY) / SECOND);
    const posts = plan.posts.filter(({ at }) => at >= midnight && at < until);
    const planned = night.getTime() + 1;
    steps.push({ at: planned, do: () => uploadAll(api, posts, { accounts, boardId }) });
  }

  const progress = createProgress(steps.length);
  for (const [index, step] of steps.sort((a, b) => a.at - b.at).entries()) {
    if (stopping.aborted) return;
    await step.do();
    progress(index + 1, new Date(step.at));
  }
}

type Accounts = ReadonlyMap<Platform, string>;

/** Connects LinkedIn as a page, because LinkedIn has no statistics for people. */
async function connectAll(api: Api, name: string) {
  const accounts = new Map<Platform, string>();
  for (const platform of PLATFORMS) {
    accounts.set(platform, await api.createSandboxAccount(platform, name));
  }
  const person = accounts.get("linkedin") ?? "";
  const [page] = await api.listPages(person);
  if (!page) throw new Problem("The LinkedIn login covers no page.");
  const connectPage = () => api.createSandboxAccount("linkedin", name, page.id);
  accounts.set("linkedin", await connectPage());
  await api.deleteAccount(person);
  return { accounts, connectPage };
}

async function firstBoard(api: Api, accounts: Accounts): Promise<string> {
  const [board] = await api.listBoards(accounts.get("pinterest") ?? "");
  if (!board) throw new Problem("The Pinterest account has no board.");
  return board.id;
}

interface Targets {
  accounts: Accounts;
  boardId: string;
}

async function uploadAll(api: Api, posts: readonly PlannedPost[], to: Targets): Promise<void> {
  for (let i = 0; i < posts.length; i += AT_ONCE) {
    await Promise.all(posts.slice(i, i + AT_ONCE).map((post) => upload(api, post, to)));
  }
}

async function upload(api: Api, post: PlannedPost, to: Targets): Promise<void> {
  const results = await api.createUploads(toForm(post, to), `year-${post.at.getTime()}`);
  for (const result of results) {
    if (!result.success) throw new Problem(`A post of the year was refused: ${result.error}`);
  }
}

function toForm({ at, kind, platforms, title, text }: PlannedPost, to: Targets): Form {
  const run = { id: (at.getTime() / MINUTE).toString(16).slice(-6) };
  return {
    accounts: JSON.stringify(platforms.map((platform) => to.accounts.get(platform))),
    description: text,
    schedule_date: at.toISOString(),
    overrides: JSON.stringify({ youtube: { title }, pinterest: { title } }),
    ...(platforms.includes("pinterest") ? { pinterest_board_id: to.boardId } : {}),
    ...(kind === "photo"
      ? { photo: new File([createPhoto(run, 0, PHOTO)], "photo.png", IMAGE) }
      : {}),
    ...(kind === "video" ? { video: createFilm(run) } : {}),
  };
}

const IMAGE = { type: "image/png" };
const PHOTO = { width: 360, height: 360 };

function createProgress(total: number): (done: number, at: Date) => void {
  let shown = 0;
  return (done, at) => {
    const tenth = Math.floor((10 * done) / total);
    if (tenth <= shown) return;
    shown = tenth;
    console.log(`${at.toISOString().slice(0, 10)}  ${tenth * 10} %`);
  };
}

function describeStart(stateDir: string, token: string): string {
  const port = process.env.PORT ? `PORT=${readPort()} ` : "";
  const url = `http://localhost:${readPort()}/api/v1/analytics/overview?timezone=Europe/Berlin`;
  return [
    `  ${port}STATE_DIR=${showPath(stateDir)} npm start`,
    `  curl -s -H "x-api-key: ${token}" "${url}"`,
  ].join("\n");
}
