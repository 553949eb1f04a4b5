import { VERSION } from "../core/version.ts";
import type { Account, Api, RecordedCall, Rehearsal } from "./api.ts";
import { Misuse, Problem } from "./program.ts";
import { retrying, TRY_LATER } from "./retry.ts";

export type RehearsalApi = Pick<
  Api,
  "listAccounts" | "listRehearsals" | "startRehearsal" | "stepRehearsal" | "forgetRehearsal"
>;

export interface RehearsalOptions {
  platform: string;
  account?: string | undefined;
  note?: string | undefined;
  /** The file of the record. */
  record?: string | undefined;
  isAgreed: boolean;
}

export interface Terminal {
  /** Asks for a yes. Null without a terminal. */
  ask: ((question: string) => Promise<boolean>) | null;
  tell(line: string): void;
  /** Is called after each step, so that a crash leaves a record. */
  keep(record: string): void;
  sleep(ms: number): Promise<void>;
  command: string;
}

export interface Ended {
  rehearsal: Rehearsal;
  /** In the sandbox no call reaches the platform. */
  mode: Account["mode"];
  notes: string[];
  calls: RecordedCall[];
  exitCode: number;
}

/** Platforms process a small video within minutes. */
const LONGEST_MS = 30 * 60_000;

/** @throws Misuse for an account that does not fit, and without `--account` when there are several */
async function chooseAccount(
  api: RehearsalApi,
  { platform, account: wanted }: RehearsalOptions,
): Promise<Account> {
  const all = await retrying(() => api.listAccounts());
  const ofPlatform = all.filter((one) => one.platform === platform);
  if (wanted !== undefined) {
    const account = all.find(({ id }) => id === wanted);
    if (!account) throw new Misuse(`There is no account ${wanted}; accounts lists them.`);
    if (account.platform === platform) return account;
    throw new Misuse(`${wanted} is an account of ${account.platform}, not of ${platform}.`);
  }
  const live = ofPlatform.filter(({ mode }) => mode === "live");
  const [account, ...others] = live.length > 0 ? live : ofPlatform;
  if (!account) throw new Problem(`No account of ${platform} is connected. Connect one first.`);
  if (others.length === 0) return account;
  const names = [account, ...others].map(({ id, accountName }) => `  ${id}  ${accountName}`);
  throw new Misuse(`There are several accounts. Name one by --account:\n${names.join("\n")}`);
}

const lineOf = ({ method, address, status, ms }: RecordedCall): string =>
  `${method} ${address} -> ${status ?? "no answer"} (${ms} ms)`;

export const formatCall = (call: RecordedCall): string[] =>
  call.answer === null ? [lineOf(call)] : [lineOf(call), `    ${call.answer}`];

/** Exit code 0 when the platform took the post, or the draft where it takes no more. */
function exitCodeOf({ outcome, audience, platformPostId }: Rehearsal): number {
  if (outcome === "removed" || outcome === "left") return 0;
  return outcome === "nothing" && audience === "nobody" && platformPostId !== null ? 0 : 1;
}

export function describeLeft(left: readonly Rehearsal[], accounts: readonly Account[]): string {
  const simulated = new Set(accounts.filter(isSimulated).map(({ id }) => id));
  return left
    .map(({ id, platform, accountId, summary }) => {
      const place = simulated.has(accountId) ? " (sandbox)" : "";
      return `${id}  ${platform} ${accountId}${place}: ${summary}`;
    })
    .join("\n");
}

const isSimulated = ({ mode }: Pick<Account, "mode">): boolean => mode === "sandbox";

const SIMULATED =
  "This is an account of the sandbox: no call reaches the platform, and nobody sees the post.";

/** For a shell. */
const quote = (text: string): string =>
  /^[\w@%+:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** The command of these options, and of the account that they chose. */
function commandOf(
  { note, record }: Pick<RehearsalOptions, "note" | "record">,
  { id, platform }: Account,
  { command }: Pick<Terminal, "command">,
): string {
  const options = { account: id, note, record };
  const given = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${quote(value)}`],
  );
  return [command, "rehearse", platform, ...given].join(" ");
}

/**
 * Publishes one post, reads it back and deletes it, where the platform can.
 *
 * @throws Misuse when others would see the post and nobody can be asked
 */
export async function rehearse(
  api: RehearsalApi,
  options: RehearsalOptions,
  terminal: Terminal,
): Promise<Ended> {
  const { tell, command } = terminal;
  terminal.keep("");
  const account = await chooseAccount(api, options);
  const earlier = (await retrying(() => api.listRehearsals())).filter(
    ({ accountId, mayBeOut, stage }) => mayBeOut && (accountId !== account.id || stage === "over"),
  );
  if (earlier.length > 0) {
    const posts = earlier.length === 1 ? "a post" : `${earlier.length} posts`;
    tell(`Earlier rehearsals may have left ${posts}. To list them: ${command} rehearse --left\n`);
  }
  const isSandbox = isSimulated(account);
  if (isSandbox) tell(SIMULATED);
  const begun = await retrying(() => api.startRehearsal(account.id, options.note ?? ""));
  const isResumed = begun.stage !== "planning";
  if (isResumed) {
    tell(`An earlier rehearsal of ${account.accountName} is not over: ${begun.summary}`);
    tell("This command goes on with it. For a new one, repeat the command when it is over.");
  }

  const notes: string[] = [];
  const calls: RecordedCall[] = [];
  const lines = [
    `Akimbo ${VERSION}, rehearsal ${begun.id} with ${account.platform}, begun ${begun.createdAt}${isResumed ? ", goes on" : ""}`,
    ...(isSandbox ? [SIMULATED] : []),
    `Text: ${begun.text}`,
    "",
  ];
  const say = (line: string) => {
    lines.push(line);
    tell(line);
  };
  const keep = (summary: string) => {
    try {
      terminal.keep(`${[...lines, summary].join("\n")}\n`);
    } catch (error) {
      // The post has to be deleted although its record cannot be written.
      tell(error instanceof Error ? error.message : String(error));
    }
  };
  let isAgreed = options.isAgreed;
  for (let waitedMs = 0; ; ) {
    const step = await retrying(() => api.stepRehearsal(begun.id, isAgreed));
    for (const call of step.calls) for (const line of formatCall(call)) say(line);
    calls.push(...step.calls);
    if (step.note) {
      say(step.note);
      notes.push(step.note);
    }
    const { data: rehearsal, next } = step;
    keep(rehearsal.summary);
    if (next === "over" || next === "stop") {
      say(rehearsal.summary);
      keep("");
      return {
        rehearsal,
        mode: account.mode,
        notes,
        calls,
        exitCode: next === "stop" ? 1 : exitCodeOf(rehearsal),
      };
    }
    if (next === "ask" && !isAgreed) {
      const again = `${commandOf(options, account, terminal)} --yes`;
      await agree(api, rehearsal, { terminal, isSandbox, again });
      isAgreed = true;
    }
    const waitMs = step.afterSeconds * 1_000;
    if (waitMs > 0) await terminal.sleep(waitMs);
    waitedMs += waitMs;
    if (waitedMs > LONGEST_MS) {
      throw new Problem(
        `${rehearsal.summary}\nIt takes longer than half an hour. Go on later: ${commandOf(options, account, terminal)}`,
        TRY_LATER,
      );
    }
  }
}

const SEEN_BY: Record<string, string> = {
  connections: "The account's connections can see the post",
  everyone: "Everybody can see the post",
};

/** Sentences: who sees the post, for how long, and what is left to do by hand. */
function warningOf({ audience, removal, byHand }: Rehearsal): string {
  const seen = SEEN_BY[audience ?? ""] ?? SEEN_BY.everyone;
  switch (removal) {
    case "impossible":
      return `${seen}. It stays: this login may not delete it. ${byHand}`;
    case "possible":
    case "needless":
      return `${seen} until it is deleted. If that fails: ${byHand}`;
    case "unknown":
    case null:
      return `${seen}. It is deleted if this login may do that. Else: ${byHand}`;
    default:
      return removal satisfies never;
  }
}

interface Asking {
  terminal: Terminal;
  isSandbox: boolean;
  /** The command that does not ask. */
  again: string;
}

/** @throws Problem when the owner says no, or when another call has published meanwhile; Misuse without a terminal */
async function agree(
  api: RehearsalApi,
  rehearsal: Rehearsal,
  { terminal: { ask, tell }, isSandbox, again }: Asking,
): Promise<void> {
  const { id, text } = rehearsal;
  const real = warningOf(rehearsal);
  const warning = isSandbox ? `${SIMULATED} With a real account: ${real}` : real;
  if (!ask) {
    await retrying(() => api.forgetRehearsal(id, true));
    throw new Misuse(
      `${warning}\nNothing was published, because nobody can be asked here. To publish it: ${again}`,
    );
  }
  tell(`\n${warning}\nIts text: ${text}`);
  if (await ask(isSandbox ? "Publish it in the sandbox? [y/N] " : "Publish it? [y/N] ")) return;
  await retrying(() => api.forgetRehearsal(id, true));
  throw new Problem("Nothing was published.");
}
