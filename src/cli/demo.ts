import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Command, InvalidArgumentError } from "commander";
import { randomHex } from "../core/ids.ts";
import { PLATFORMS } from "../core/platforms.ts";
import { connectorOf } from "../platforms/registry.ts";
import { runAnalyticsDemo } from "./analytics-demo.ts";
import { type Account, type Api, askHealth, createApi, ensureSandboxAccounts } from "./api.ts";
import { readConnection } from "./connection.ts";
import { type DemoPost, demoPostsFor, toForm } from "./demo-posts.ts";
import { createProgressView, formatReport, isDone, type Progress } from "./demo-report.ts";
import { type PostOutcome, subscribeReceiver } from "./demo-webhook.ts";
import { CHECKOUT, readOrigin } from "./instance.ts";
import { runLargeDemo } from "./large-demo.ts";
import { inProject, PROJECT_DIR } from "./paths.ts";
import { spawnGroup } from "./process-group.ts";
import { Problem, runProgram } from "./program.ts";

/** Waits between polls grow, so that polls stay below the rate limit. */
const FIRST_POLL_MS = 400;
const LONGEST_POLL_MS = 4_000;
const POLL_GROWTH = 1.25;
const PUBLISH_TIMEOUT_MS = 120_000;
const START_TIMEOUT_MS = 90_000;

interface Post extends Progress {
  accountId: string;
  uploadId: number | null;
  post: DemoPost;
}

async function main(stopping: AbortSignal): Promise<number> {
  const options = readOptions();
  if (options.analytics) return await runAnalyticsDemo(options, stopping);
  const origin = readOrigin();
  const isRunning = Boolean((await askHealth(origin))?.status);
  if (!isRunning) await startServerAt(origin);
  const api = createApi(origin, (await readConnection({}, CHECKOUT)).credential);
  if (options.large) return await runLargeDemo(api, stopping);
  const posts = await planPosts(api);

  const webhook = await subscribeReceiver(api);
  try {
    console.log(`Publishing ${posts.length} posts to the sandbox …`);
    const startedAt = performance.now();
    await publishAll(api, posts);
    console.log(`\n${formatReport(posts, (performance.now() - startedAt) / 1_000)}`);
    if (webhook) console.log(await webhook.report(posts.flatMap(toOutcome)));
  } finally {
    await webhook?.end();
  }
  if (isRunning) console.log(`Look at them: ${origin}/sandbox`);
  if (isRunning && webhook) console.log(`Webhooks that arrived: ${origin}/sandbox/webhook`);
  return posts.every(({ status }) => status === "completed") ? 0 : 1;
}

const toOutcome = ({ uploadId, status }: Post): PostOutcome[] =>
  uploadId !== null && (status === "completed" || status === "failed")
    ? [{ uploadId, status }]
    : [];

interface Options {
  large?: boolean;
  analytics?: boolean;
  seed: number;
  days: number;
}

const wholeNumber = (least: number, max: number) => (text: string) => {
  const number = Number(text);
  if (Number.isInteger(number) && number >= least && number <= max) return number;
  throw new InvalidArgumentError(`It must be a whole number from ${least} to ${max}.`);
};

function readOptions(): Options {
  return new Command("npm run demo --")
    .description("Publishes to the sandbox, and starts Akimbo for it when it is not running.")
    .option("--large", "one film of 300 MB instead, in parts, to YouTube and TikTok")
    .option("--analytics", "a year of posts and their figures instead, in a workspace of its own")
    .option("--seed <number>", "with --analytics: another year", wholeNumber(0, 999_999_999), 1)
    .option("--days <number>", "with --analytics: the length of the year", wholeNumber(1, 730), 365)
    .parse()
    .opts();
}

async function startServerAt(origin: string): Promise<void> {
  if (process.env.AKIMBO_URL) throw new Problem(`Nothing answers at ${origin}/health.`);
  console.log("Nothing is running yet, so Akimbo is started for the demo …");
  const child = spawnGroup(process.execPath, [inProject("src/cli/start.ts")], {
    cwd: PROJECT_DIR,
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const ended = once(child, "exit");
  const isReady = once(child, "message").then(() => true);
  const isLate = sleep(START_TIMEOUT_MS, false, { ref: false });
  if (await Promise.race([isReady, ended.then(() => false), isLate])) return;
  throw new Problem("Akimbo could not be started.");
}

/** The demo never posts to a real network. */
async function planPosts(api: Api): Promise<Post[]> {
  await ensureSandboxAccounts(api, PLATFORMS);
  const isSandbox = ({ mode, status }: Account) => mode === "sandbox" && status === "active";
  const accounts = (await api.listAccounts()).filter(isSandbox);
  const id = randomHex(3);
  const planned = await Promise.all(
    accounts.map(async (account) => {
      const boardId = connectorOf(account.platform).extras?.boards
        ? await findBoard(api, account)
        : null;
      const posts = await demoPostsFor(account.platform, { id, boardId });
      return posts.map((post) => ({
        account: `${account.platform} (${account.accountName})`,
        accountId: account.id,
        uploadId: null,
        what: post.what,
        post,
        status: "sending",
        url: null,
        error: null,
      }));
    }),
  );
  const posts = planned.flat();
  if (posts.length === 0) throw new Problem("There is no sandbox account to publish to.");
  return posts;
}

async function findBoard(api: Api, account: Account): Promise<string> {
  const [board] = await api.listBoards(account.id);
  if (!board) throw new Problem(`The account ${account.accountName} has no board.`);
  return board.id;
}

async function publishAll(api: Api, posts: Post[]): Promise<void> {
  const draw = createProgressView(posts, process.stdout);
  draw();
  const deadline = Date.now() + PUBLISH_TIMEOUT_MS;
  await Promise.all(
    posts.map(async (post) => {
      try {
        await publish(api, post, deadline, draw);
      } catch (error) {
        post.status = "failed";
        post.error = error instanceof Error ? error.message : String(error);
        draw();
      }
    }),
  );
}

async function publish(api: Api, post: Post, deadline: number, draw: () => void): Promise<void> {
  const uploadId = await api.createUpload(toForm(post.accountId, post.post));
  post.uploadId = uploadId;
  for (let pollMs = FIRST_POLL_MS; !isDone(post); ) {
    const upload = await api.getUpload(uploadId);
    post.status = upload.status;
    post.url = upload.metadata?.shareUrl ?? null;
    if (upload.status === "failed") {
      post.error = upload.errorMessage ?? upload.failure?.code ?? "failed without a reason";
    } else if (upload.status !== "completed" && Date.now() > deadline) {
      post.error = `still ${upload.status} after ${PUBLISH_TIMEOUT_MS / 1_000} s`;
    }
    draw();
    if (!isDone(post)) await sleep(pollMs);
    pollMs = Math.min(pollMs * POLL_GROWTH, LONGEST_POLL_MS);
  }
}

await runProgram(main);
