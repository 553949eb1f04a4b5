import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { Command, Option } from "commander";
import { toEmail } from "../core/email.ts";
import { buildAssets } from "./assets.ts";
import { createCloud } from "./cloud.ts";
import { readWranglerConfig } from "./deploy-config.ts";
import { type Dialog, runDeployment, type StorageKey } from "./deploy-steps.ts";
import { readStateDir } from "./paths.ts";
import { Misuse, Problem, runProgram } from "./program.ts";
import { goBack } from "./put-live.ts";
import { WATCH_SECONDS } from "./rollout.ts";

interface DeployOptions {
  newKeys?: boolean;
  back?: boolean;
  backup?: boolean;
  withoutBackup?: boolean;
  watch: string;
}

async function main(): Promise<number> {
  const program = new Command("npm run deploy --")
    .description("Creates what is missing in your Cloudflare account and deploys Akimbo there.")
    .option("--new-keys", "make new ENCRYPTION_KEYS; stored logins become unreadable")
    .option("--back", "give all calls to the version that ran before")
    .addOption(
      new Option("--backup", "make a backup first, also when nothing is new").conflicts(
        "withoutBackup",
      ),
    )
    .option("--without-backup", "upgrade without a new backup")
    .option(
      "--watch <seconds>",
      "how long each step of an upgrade is watched",
      String(WATCH_SECONDS),
    )
    .parse();
  const { newKeys = false, back = false, watch, ...chosen } = program.opts<DeployOptions>();
  const config = await readWranglerConfig();
  if (back) {
    await goBack(config.name, (line) => console.log(line));
    return 0;
  }
  await buildAssets();
  const stateDir = readStateDir();
  const result = await runDeployment(createCloud(stateDir), config, createDialog(), {
    stateDir,
    acceptsNewKeys: newKeys,
    backup: chosen.withoutBackup ? "never" : chosen.backup ? "always" : "auto",
    watchSeconds: toSeconds(watch),
  });

  const [address] = result.addresses;
  console.log(`\nAkimbo is deployed${address ? ` at ${address}` : ""}`);
  const origin = config.vars.PUBLIC_URL || address;
  if (result.claimCode) {
    console.log(`It has no owner yet. Claim it within 24 hours: ${origin ?? ""}/claim`);
    console.log(`The code, shown this once: ${result.claimCode}`);
    return 0;
  }
  console.log(`Sign in, once and within the hour: ${origin ?? ""}${result.signInPath}`);
  if (result.firstToken) {
    console.log(`Your first API token, shown this once: ${result.firstToken}`);
  } else {
    console.log("For another API token: npm run cli -- token create --remote --name <name>");
  }
  return 0;
}

const MAX_WATCH_SECONDS = 3_600;

/** @throws Misuse for text that is no number of seconds */
function toSeconds(text: string): number {
  const seconds = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && seconds <= MAX_WATCH_SECONDS) return seconds;
  throw new Misuse(`--watch takes a number of seconds, at most ${MAX_WATCH_SECONDS}.`);
}

/** Without a terminal, environment variables answer the questions. */
function createDialog(env: NodeJS.ProcessEnv = process.env): Dialog {
  const canAsk = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const say = (line: string) => console.log(line);
  return {
    say,
    isTerminal: process.stdout.isTTY === true,
    askStorageKey: async () => {
      const key = toStorageKey(env.R2_ACCESS_KEY_ID, env.R2_SECRET_ACCESS_KEY);
      if (key) return key;
      if (canAsk) {
        say(
          "\nLarge uploads go straight to your bucket, which needs an R2 API token (dashboard: R2, " +
            "Manage API tokens,\npermission Object Read & Write). Press Enter to do this later.",
        );
        const id = await ask("R2 access key id: ");
        const key = id ? toStorageKey(id, await ask("R2 secret access key: ", "hidden")) : null;
        if (key) return key;
      }
      say("! No R2 key: presigned uploads stay off. Deploy again with the key to turn them on.");
      return null;
    },
    askOwnerEmail: async () => {
      const address = env.AKIMBO_OWNER_EMAIL || (canAsk ? await ask("Your e-mail address: ") : "");
      const email = toEmail(address);
      if (!email && address) throw new Problem(`"${address}" is not an e-mail address.`);
      return email;
    },
  };
}

function toStorageKey(id: string | undefined, secret: string | undefined): StorageKey | null {
  return id && secret ? { accessKeyId: id, secretAccessKey: secret } : null;
}

async function ask(question: string, visibility: "shown" | "hidden" = "shown"): Promise<string> {
  const isHidden = visibility === "hidden";
  if (isHidden) process.stdout.write(question);
  const output = isHidden ? createSilence() : process.stdout;
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  lines.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  try {
    return (await lines.question(question)).trim();
  } finally {
    lines.close();
    if (isHidden) process.stdout.write("\n");
  }
}

const createSilence = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });

await runProgram(main);
