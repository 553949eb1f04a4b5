import assert from "node:assert/strict";
import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { inProject } from "../../src/cli/paths.ts";
import { createGradientPng } from "../../src/cli/png.ts";
import { findFreePort } from "../../src/cli/server.ts";
import { createToken } from "../../src/cli/tokens.ts";
import { PLATFORMS } from "../../src/core/platforms.ts";

const TOKEN = createToken();
const END_TIMEOUT_MS = 60_000;

const project = await mkdtemp(join(tmpdir(), "akimbo-platform-"));
let origin = "";
let server: ReturnType<typeof fork> | null = null;

/** Writes `added` in front of the one place where `mark` stands. */
async function insert(path: string, mark: string, added: string): Promise<void> {
  const text = await readFile(join(project, path), "utf8");
  const [head = "", tail, ...others] = text.split(mark);
  assert.ok(tail !== undefined && others.length === 0, `${path} has ${mark} once`);
  await writeFile(join(project, path), `${head}${added}${mark}${tail}`);
}

async function addPlatform(): Promise<void> {
  const toy = inProject("test/support/toy-platform");
  await cp(join(toy, "connector"), join(project, "src/platforms/mastotoy"), { recursive: true });
  await cp(join(toy, "simulator"), join(project, "src/sandbox/mastotoy"), { recursive: true });
  const registry = "src/platforms/registry.ts";
  await insert(registry, "const CONNECTORS", 'import { mastotoy } from "./mastotoy/index.ts";\n\n');
  await insert(registry, "\n};\n", "\n  mastotoy,");
  await insert("src/core/platforms.ts", "\n] as const;\n", '\n  "mastotoy",');
  await insert(
    "src/sandbox/registry.ts",
    "\n];\n",
    `
  {
    platform: "mastotoy",
    origins: ["https://mastotoy.test"],
    login: async (name) => (await import("./mastotoy/index.ts")).toyLogin(name),
    load: async () => (await import("./mastotoy/index.ts")).mastotoySimulator,
    loadDemo: async () => (await import("./mastotoy/demo.ts")).demoPosts,
  },`,
  );
}

before(async () => {
  for (const name of ["src", "migrations", "wrangler.toml", "tsconfig.json", "package.json"]) {
    await cp(inProject(name), join(project, name), { recursive: true });
  }
  await symlink(inProject("node_modules"), join(project, "node_modules"));
  await addPlatform();
});

after(async () => {
  if (server && server.exitCode === null) {
    const ended = once(server, "exit");
    server.kill("SIGTERM");
    await ended;
  }
  await rm(project, { recursive: true, force: true });
});

async function call(path: string, init: RequestInit = {}) {
  const response = await fetch(`${origin}${path}`, {
    ...init,
    headers: { "x-api-key": TOKEN, ...init.headers },
  });
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  return { status: response.status, body: (await response.json()) as any };
}

function formOf(fields: Record<string, string | Blob>): RequestInit {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  return { method: "POST", body };
}

/** Signs in by the link that the program printed; returns the cookies. */
async function signIn(printed: string): Promise<string> {
  const token = /sign-in\/link\?token=(\w+)/.exec(printed)?.[1] ?? "";
  const { headers } = await fetch(`${origin}/sign-in/link`, {
    method: "POST",
    redirect: "manual",
    headers: { origin },
    body: new URLSearchParams({ token }),
  });
  return headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");
}

interface FeedPost {
  text: string;
  received: number;
  media: object[];
  fields: Record<string, unknown>;
}

async function completed(uploadId: number) {
  for (const end = Date.now() + END_TIMEOUT_MS; Date.now() < end; await sleep(200)) {
    const { body } = await call(`/api/v1/upload/${uploadId}`);
    if (["completed", "failed"].includes(body.data.status)) return body.data;
  }
  throw new Error(`Upload ${uploadId} did not end.`);
}

test("two folders, a name and an entry in each registry type-check, the client's types included", async () => {
  const run = (...args: string[]) => promisify(execFile)(process.execPath, args, { cwd: project });
  await run("src/client/generate.ts");
  // Several threads work out the same types again, each for itself: twice the work in all.
  await run(join(project, "node_modules/typescript/bin/tsc"), "--noEmit", "--singleThreaded");
});

test("and are a platform like any other", async (t) => {
  const port = await findFreePort();
  origin = `http://localhost:${port}`;
  server = fork(join(project, "src/cli/start.ts"), {
    cwd: project,
    silent: true,
    env: {
      ...process.env,
      PORT: String(port),
      STATE_DIR: join(project, "state"),
      AKIMBO_DEMO_TOKEN: TOKEN,
    },
  });
  let said = "";
  for (const stream of [server.stdout, server.stderr]) stream?.on("data", (text) => (said += text));
  const started = await Promise.race([once(server, "message"), once(server, "exit")]);
  assert.deepEqual(started[0], "ready", said);

  let accountId = "";

  await t.test("it is listed with its limits", async () => {
    const { body } = await call("/api/v1/platforms/capabilities");
    const { platform, limits } = body.data.at(-1);
    assert.deepEqual(
      [body.data.length, platform, limits.postCharacters],
      [PLATFORMS.length + 1, "mastotoy", 500],
    );
  });

  await t.test("a sandbox account of it was connected at the start", async () => {
    const { body } = await call("/api/v1/accounts?platform=mastotoy");
    assert.equal(body.data.length, 1);
    accountId = body.data[0].id;
  });

  await t.test("pages call it by the name that its connector gives", async () => {
    const cookie = await signIn(said);
    for (const path of ["/sandbox", "/app/accounts", "/app/uploads", "/app/settings"]) {
      const page = await fetch(`${origin}${path}`, { headers: { cookie } });
      assert.match(await page.text(), />(Own list for )?Mastotoy</, path);
    }
  });

  await t.test(
    "agents are told that it exists, and of the setting that they have to choose",
    async () => {
      const text = await (await fetch(`${origin}/llms.txt`)).text();
      assert.match(text, / and Mastotoy, now or/);
      assert.match(text, /, Mastotoy settings\.mastotoy\.visibility\.\n/);
    },
  );

  await t.test("its field is described, and the flag that batches have for it", async () => {
    const { body } = await call("/api/v1/openapi.json");
    const { properties } = body.components.schemas.NewUpload;
    assert.match(properties.mastotoy_visibility.description, /Who sees the post/);
    assert.match(properties.description.description, /mastotoy/);
    const batch = body.components.schemas.NewUploads.properties;
    assert.match(batch.mastotoy_to_followers.description, /to followers alone/);
    assert.equal(properties.mastotoy_to_followers, undefined);
  });

  await t.test("a client who reviews a post reads its text, and its setting in words", async () => {
    const draft = { accountId, description: "See this, toy", status: "draft" };
    const made = await call(
      "/api/v1/upload",
      formOf({ ...draft, title: "Our own", mastotoy_visibility: "followers" }),
    );
    const link = await call("/api/v1/upload/review-links", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ uploadIds: [made.body.data.uploadId] }),
    });
    const { pathname } = new URL(link.body.data.url);
    const html = await (await fetch(`${origin}${pathname}`)).text();
    for (const text of ["See this, toy", "for the team alone", "Who can see it", "Followers"]) {
      assert.match(html, new RegExp(text));
    }
    assert.doesNotMatch(html, /mastotoy_visibility/);
  });

  await t.test("a post of one call, and one of a batch, are published once each", async () => {
    const [from, to] = [
      [36, 24, 92],
      [255, 126, 70],
    ] as const;
    const png = createGradientPng({ width: 40, height: 30, from, to });
    const photo = new Blob([png], { type: "image/png" });
    const single = await call(
      "/api/v1/upload",
      formOf({ accountId, description: "Hello, toy", mastotoy_visibility: "public", photo }),
    );
    const batch = await call(
      "/api/v1/upload/bulk",
      formOf({
        accounts: JSON.stringify([accountId]),
        caption: "Hello, all toys",
        mastotoy_to_followers: "true",
      }),
    );
    const ids = [single.body.data.uploadId, batch.body.results[0].uploadId];
    for (const id of ids) assert.equal((await completed(id)).status, "completed");
    const feed = await call("/sandbox/api/posts?platform=mastotoy");
    assert.deepEqual(
      feed.body.posts
        .map(({ text, received, media, fields }: FeedPost) => [
          text,
          received,
          media.length,
          fields.visibility,
        ])
        .sort(),
      [
        ["Hello, all toys", 1, 0, "followers"],
        ["Hello, toy", 1, 1, "public"],
      ],
    );
  });
});
