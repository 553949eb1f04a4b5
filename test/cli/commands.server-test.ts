import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { createApi, ensureSandboxAccounts } from "../../src/cli/api.ts";
import { inProject } from "../../src/cli/paths.ts";
import { createGradientPng } from "../../src/cli/png.ts";
import { type LocalService, startLocalService } from "./local-service.ts";

let service: LocalService;
let folder: string;
let [bluesky, facebook] = ["", ""];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "akimbo-commands-"));
  const png = createGradientPng({ width: 400, height: 300, from: [9, 9, 90], to: [250, 90, 90] });
  await writeFile(join(folder, "photo.png"), png);
  service = await startLocalService();
  const api = createApi(service.origin, service.token);
  [bluesky = "", facebook = ""] = await ensureSandboxAccounts(api, ["bluesky", "facebook"]);
});

after(async () => {
  await service?.stop();
  await rm(folder, { recursive: true });
});

async function run(args: string[], { input = "", env = {} as Record<string, string> } = {}) {
  const child = spawn(process.execPath, [inProject("src/cli/akimbo.ts"), ...args], {
    cwd: folder,
    env: {
      ...process.env,
      ...{ AKIMBO_URL: service.origin, AKIMBO_TOKEN: service.token, STATE_DIR: folder },
      // npm notes here where it was called; the tests are called from elsewhere.
      INIT_CWD: undefined,
      ...env,
    },
  });
  child.stdin.end(input);
  const [out, error, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { out, error, code };
}

async function json(args: string[], input = "") {
  const { out, error, code } = await run(args, { input });
  assert.equal(code, 0, error);
  return JSON.parse(out);
}

test("accounts: JSON where no terminal is, a table where it is asked for", async () => {
  const accounts = await json(["accounts"]);
  const ids = accounts.map(({ id }: { id: string }) => id);
  assert.ok(ids.includes(bluesky) && ids.includes(facebook));
  const { out } = await run(["accounts", "--platform", "bluesky", "--no-json"]);
  assert.match(out, /^Id +Platform +Name +Status +Mode +Tags\n─/);
  assert.match(out, new RegExp(`^${bluesky} +bluesky +Demo +active +sandbox`, "m"));
  assert.doesNotMatch(out, /facebook/);
});

test("post: a text of standard input with a photo, out when the command ends", async () => {
  const args = ["post", "-", "--account", facebook, "--media", "photo.png"];
  const upload = await json(args, "Written by a pipe\n");
  assert.equal(upload.status, "completed");
  assert.equal(upload.description, "Written by a pipe");
  assert.match(upload.metadata.shareUrl, /^https:/);

  const shown = await json(["status", String(upload.id)]);
  assert.deepEqual([shown[0].id, shown[0].status], [upload.id, "completed"]);
  const { out } = await run(["status", "--no-json", "--search", "pipe"]);
  assert.match(out, new RegExp(`^${upload.id} +facebook +Demo +completed +Written by a pipe`, "m"));
});

test("post: the same key posts once; a draft stays one", async () => {
  const args = ["post", "Once", "--account", bluesky, "--key", "only this"];
  const [first, second] = [await json(args), await json(args)];
  assert.equal(first.id, second.id);
  const draft = await json(["post", "Perhaps", "--account", bluesky, "--draft"]);
  assert.equal(draft.status, "draft");
});

test("bulk: one post to accounts of two platforms; one that is refused makes the exit code 1", async () => {
  const results = await json([
    "bulk",
    "To both",
    "--platform",
    "bluesky",
    "--platform",
    "facebook",
  ]);
  assert.deepEqual(
    results.map(({ upload }: { upload: { status: string } }) => upload.status),
    ["completed", "completed"],
  );
  const accounts = ["--account", bluesky, "--account", "acc_0"];
  const { out, code } = await run(["bulk", "To one of two", ...accounts, "--no-json"]);
  assert.equal(code, 1);
  assert.match(out, /^\d+ +bluesky +Demo +completed +To one of two/m);
  assert.match(out, /^acc_0 does not get it: ./m);
});

test("retry: a post that failed goes out once what is wrong is changed", async () => {
  const { out, code } = await run(["post", "[sandbox:content_flagged]", "--account", facebook]);
  assert.equal(code, 1);
  const { id, failure } = JSON.parse(out);
  assert.equal(failure.code, "content_flagged");
  const refused = await run(["retry", String(id)]);
  assert.equal(refused.code, 1);
  assert.match(refused.error, /POST \/upload\/\d+\/retry: 409 /);
  await service.api("PATCH", `/upload/${id}`, { description: "Harmless now" });
  const [retried] = await json(["retry", String(id), "--force"]);
  assert.equal(retried.status, "completed");
  assert.deepEqual((await json(["retry", "--failed"])).retried, []);
});

test("unpublish: a published post is taken down, and again is the same", async () => {
  const post = await json(["post", "Soon gone", "--account", bluesky]);
  const first = await json(["unpublish", String(post.id)]);
  assert.match(first[0].unpublishedAt, /^20/);
  assert.deepEqual(await json(["unpublish", String(post.id)]), first);
  const { out } = await run(["status", String(post.id), "--no-json"]);
  assert.match(out, /taken down at 20/);
  const failed = await run(["unpublish", String(post.id), "0", "--no-json"]);
  assert.equal(failed.code, 1);
  assert.match(failed.out, new RegExp(`^${post.id}: The post has been taken down`));
});

test("mentions: accounts are found with the text for a post, or the platform has no look-up", async () => {
  const [first] = await json(["mentions", bluesky, "ada"]);
  assert.equal(first.mention, "@ada.bsky.social");
  const { out } = await run(["mentions", bluesky, "ada", "--no-json"]);
  assert.match(out, /@ada\.bsky\.social +Ada /);
  const refused = await run(["mentions", facebook, "ada"]);
  assert.equal(refused.code, 1);
  assert.match(refused.error, /no look-up of accounts/);
});

test("exit codes: 1 a refusal, 2 what is not understood, 3 what may be over in a moment", async () => {
  for (const [args, code, words, env] of [
    [["post", "Hello", "--account", "acc_0"], 1, /404 Account not found/, {}],
    [["status", "twelve"], 2, /is not the number of a post/, {}],
    [["status", "--limit", "many"], 2, /It is a whole number from 1 to 1000/, {}],
    [["status", "--status", "gone"], 2, /Allowed choices are draft, pending_approval/, {}],
    [["status", "--archived", "2025-13"], 1, /--archived must be a month, such as 2025-03/, {}],
    [["accounts", "--platform", "myspace"], 2, /Allowed choices are tiktok/, {}],
    [["bulk", "Hello", "--platform", "myspace"], 2, /Allowed choices are tiktok/, {}],
    [["bulk", "Hello"], 2, /Which accounts\?/, {}],
    [["retry"], 2, /Name the posts, or say --failed/, {}],
    [
      ["post", "Hello", "--account", bluesky, "--set", "nope=1"],
      2,
      /bluesky has no field nope/,
      {},
    ],
    [["bulk", "Hello", "--all", "--set", "nope=1"], 2, /no platform has a field nope/, {}],
    [["post", "Hello", "--account", bluesky, "--set", "nope"], 2, /--set wants NAME=VALUE/, {}],
    [["post", "Hello", "--account", bluesky, "--at", "soon"], 2, /ISO 8601 with an offset/, {}],
    [["accounts"], 2, /nowhere is not the address/, { AKIMBO_URL: "nowhere" }],
    [["post", "Hello"], 2, /required option '--account <id>'[\s\S]*--help/, {}],
    [["acounts"], 2, /Did you mean accounts\?/, {}],
    [["upload", "x.mp4"], 1, /There is no file/, {}],
    [["upload", "photo.png"], 3, /Nothing answers at/, { AKIMBO_URL: "http://localhost:9" }],
  ] as const) {
    const ended = await run([...args], { env: { ...env } });
    assert.equal(ended.code, code, `${args.join(" ")}: ${ended.error}`);
    assert.match(ended.error, words);
  }
});

test("a refusal is said once, in the options of the command", async () => {
  const long = "x".repeat(301);
  for (const [args, words] of [
    [
      ["post", long, "--account", bluesky],
      "Shorten the text: Bluesky takes 300 characters, it has 301.",
    ],
    [
      ["post", "Late", "--account", bluesky, "--at", "2020-01-01T00:00:00Z"],
      "--at must be in the future.",
    ],
  ] as const) {
    const { error } = await run([...args]);
    assert.equal(error.trim(), `POST /upload: 400 ${words}`);
  }
});

test("post: it says where the post stands, and when it is stopped, that the post goes on", async () => {
  const args = ["post", "Slowly [sandbox:slow=5]", "--account", bluesky];
  const child = spawn(process.execPath, [inProject("src/cli/akimbo.ts"), ...args], {
    cwd: folder,
    env: {
      ...process.env,
      ...{ AKIMBO_URL: service.origin, AKIMBO_TOKEN: service.token, STATE_DIR: folder },
      INIT_CWD: undefined,
    },
  });
  let error = "";
  const hasState = new Promise<void>((resolve) => {
    child.stderr.on("data", (chunk) => {
      error += chunk;
      if (/^Post \d+: \w+/m.test(error)) resolve();
    });
  });
  await hasState;
  child.kill("SIGINT");
  const [code] = await once(child, "close");
  assert.equal(code, 130);
  const [, id] =
    /^Post (\d+) goes on without this command\. To see it: .+ status \1$/m.exec(error) ?? [];
  const [upload] = await json(["status", String(id), "--wait"]);
  assert.deepEqual([String(upload.id), upload.status], [id, "completed"]);
});

test("help teaches: examples, exit codes and where the instance is named", async () => {
  const { out, code } = await run(["--help"]);
  assert.equal(code, 0);
  for (const words of [/Exit codes:\n {2}0 {2}done/, /AKIMBO_URL/, /post "Hello" --account/]) {
    assert.match(out, words);
  }
  assert.match((await run(["bulk", "--help"])).out, /Examples:\n {2}npm run cli -- bulk "Hello"/);
});

const bashed = async (script: string, words: string[]): Promise<string[]> => {
  const program = `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _akimbo; echo "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)("bash", ["-c", program, "bash", ...words]);
  return stdout.trim().split(" ");
};

test("rehearse: publishes for real in the sandbox, reads back, deletes, and keeps a record", async () => {
  const record = join(folder, "rehearsal.txt");
  const args = ["rehearse", "bluesky", "--account", bluesky];
  const asked = await run(args);
  assert.equal(asked.code, 2);
  assert.match(asked.error, /nobody can be asked here/);
  const { rehearsal, calls } = await json([...args, "--yes", "--record", record]);
  assert.equal(rehearsal.outcome, "removed");
  assert.ok(calls.some(({ address }: { address: string }) => address.includes("deleteRecord")));
  assert.match(await readFile(record, "utf8"), /The post was published and deleted again\./);
  assert.deepEqual(await json(["rehearse", "--left"]), []);
});

test("completions: commands, commands of commands, and options", async () => {
  const { out } = await run(["completion", "bash"]);
  assert.deepEqual(await bashed(out, ["akimbo", "po"]), ["post"]);
  assert.deepEqual(await bashed(out, ["akimbo", "token", "re"]), ["revoke"]);
  assert.deepEqual(await bashed(out, ["akimbo", "token", "create", "--na"]), ["--name"]);
  assert.deepEqual(await bashed(out, ["akimbo", "mcp", "--a"]), ["--allow"]);
  assert.deepEqual(await bashed(out, ["akimbo", "completion", "f"]), ["fish"]);
  assert.deepEqual(await bashed(out, ["akimbo", "rehearse", "you"]), ["youtube"]);
  assert.deepEqual(await bashed(out, ["akimbo", "rehearse", "x", "--le"]), ["--left"]);
  assert.deepEqual(await bashed(out, ["akimbo", "accounts", "--platform", "t"]), [
    "tiktok",
    "threads",
    "telegram",
  ]);
  assert.deepEqual(await bashed(out, ["akimbo", "status", "--status", "pend"]), [
    "pending_approval",
    "pending",
  ]);
  assert.deepEqual(await bashed(out, ["akimbo", "bulk", "Hello", "--platform", "blue"]), [
    "bluesky",
  ]);
  assert.match((await run(["completion", "zsh"])).out, /^#compdef akimbo\n/);
  assert.match(
    (await run(["completion", "fish"])).out,
    /-n '__fish_use_subcommand' -f -a post -d /,
  );
  assert.match((await run(["completion", "fish"])).out, /accounts' -l status -x -a 'active /);
  assert.equal((await run(["completion", "tcsh"])).code, 2);
});

test("import: shows a sheet, then makes its posts once", async () => {
  const rows = ["One of a sheet", "Another of it"].map((text) => `${bluesky},${text},draft`);
  await writeFile(join(folder, "posts.csv"), ["Konto,Text,status", ...rows].join("\n"));
  const args = ["import", "posts.csv", "--map", "account=Konto", "--map", "description=Text"];
  const shown = await run([...args, "--no-json"]);
  assert.equal(shown.code, 0, shown.error);
  assert.match(shown.out, /2 of 2 can be made; add --yes to make them\. 0 are here already/);
  assert.equal((await json([...args, "--yes"])).created, 2);
  const again = await json([...args, "--yes"]);
  assert.deepEqual([again.created, again.skipped], [0, 2]);
  const refused = await run(["import", "posts.csv"]);
  assert.equal(refused.code, 1);
  assert.match(refused.error, /Konto, Text, status/);
  assert.match((await run(["import", "absent.csv"])).error, /absent\.csv cannot be read/);
});
