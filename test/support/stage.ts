import { expect } from "vitest";
import type { Platform } from "../../src/core/platforms.ts";
import type { Simulator } from "../../src/sandbox/kit/simulator.ts";
import type { SimulatedCall } from "../../src/sandbox/kit/state-call.ts";
import { simulatedOf } from "../../src/sandbox/registry.ts";
import { aroundBatches } from "./database.ts";
import { eventNames } from "./events.ts";
import {
  type Answer,
  connectSandbox,
  createMember,
  type Fields,
  form,
  Harness,
  type Member,
} from "./harness.ts";
import { minutesToNextWork } from "./ticks.ts";
import { pixelPng, testJpeg, testPng, verticalMp4 } from "./videos.ts";

export const jpeg = () => new Blob([testJpeg], { type: "image/jpeg" });
export const png = () => new Blob([testPng], { type: "image/png" });
export const mp4 = (bytes: Uint8Array<ArrayBuffer> = verticalMp4) =>
  new Blob([bytes], { type: "video/mp4" });

let photos = 0;

/** A PNG of one pixel with something behind it; no two are the same file. */
export function photo(sizeBytes = 100): Blob {
  const rest = new Uint8Array(Math.max(0, sizeBytes - pixelPng.length));
  return new Blob([pixelPng, rest, `number ${++photos}`], { type: "image/png" });
}

/** The vertical video with zeros behind it, up to this size. */
export function videoOf(sizeBytes: number, bytes = verticalMp4): Blob {
  const whole = new Uint8Array(sizeBytes);
  whole.set(bytes);
  return mp4(whole);
}

/** Answers a call to the simulated network, mostly by what the simulator answers. */
export type Wrap = (call: SimulatedCall, answer: () => Promise<Response>) => Promise<Response>;

/** The result of a post. */
interface Published {
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the record holds
  upload: any;
  /** Names of the calls to the simulated network, in their order. */
  calls: string[];
  /** The account's posts as the network shows them, newest first. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the feed holds
  feed: any[];
}

/** An account of a team of its own, and what a test does with it. */
export interface AccountStage {
  harness: Harness;
  member: Member;
  accountId: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the account holds
  readAccount(): Promise<any>;
  /** Posts, whatever the answer. */
  send(fields: Fields): Promise<Answer>;
  /** Posts what is taken; its id. */
  post(fields?: Fields): Promise<number>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the record holds
  read(id: number): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the feed holds
  feed(): Promise<any[]>;
  /** Names of the team's events, in their order. */
  events(): Promise<string[]>;
}

/** A sandbox account of one platform, and what a test does with it. */
export interface Stage extends AccountStage {
  /** As the login of the sandbox knows it. */
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the account holds
  account: any;
  /** Connects the same login once more, or a page of it. */
  connect(pageId?: string): Promise<Answer>;
  /** Disconnects the account. */
  disconnect(): Promise<Answer>;
  /** Follows posts to their end and twelve minutes on; the record of the first. */
  // biome-ignore lint/suspicious/noExplicitAny: as in `read`
  end(...ids: number[]): Promise<any>;
  /** Has every call to the simulated network pass by `wrap` until the work is done; what comes of it. */
  watch<T>(work: () => Promise<T>, wrap?: Wrap): Promise<{ result: T; calls: string[] }>;
  /** Posts what is taken and follows it to its end. */
  publish(fields?: Fields, wrap?: Wrap): Promise<Published>;
}

export interface StageOptions {
  /** The team's id is added to it. */
  person?: string;
  /** Which page of the login to connect, where it is not the login itself; its id. */
  pageOf?(name: string, teamId: number): Promise<string>;
  /** Fields that each post has unless it says otherwise. */
  usual?(name: string): Promise<Fields> | Fields;
  /** A short name of a call, for tests that count calls. */
  nameOf?(call: SimulatedCall): string | Promise<string>;
}

/** Two posts of one text would be duplicates. */
let posts = 0;

/** The account as a stage; `usual` are fields that each post has unless it says otherwise. */
export function stageOf(
  harness: Harness,
  member: Member,
  accountId: string,
  usual = (): Fields => ({ description: `Hello ${++posts}` }),
): AccountStage {
  const { token, teamId } = member;
  const get = async (path: string) => (await harness.call("GET", path, { token })).body.data;
  const send: AccountStage["send"] = (fields) =>
    harness.call("POST", "/upload", { token, body: form({ accountId, ...usual(), ...fields }) });
  return {
    harness,
    member,
    accountId,
    readAccount: () => get(`/accounts/${accountId}`),
    send,
    post: async (fields = {}) => {
      const answer = await send(fields);
      expect(answer.body).toMatchObject({ success: true });
      return answer.body.data.uploadId;
    },
    read: (id) => get(`/upload/${id}`),
    feed: async () => {
      const answer = await harness.request(`/sandbox/api/posts?accountId=${accountId}`);
      return ((await answer.json()) as { posts: [] }).posts;
    },
    events: () => eventNames(teamId),
  };
}

/** A sandbox account of a new team. */
export async function openAccount(
  platform = "bluesky",
  usual?: () => Fields,
  harness = new Harness(),
): Promise<AccountStage> {
  const member = await createMember();
  return stageOf(harness, member, await connectSandbox(harness, member, "Ada", platform), usual);
}

/** Minutes after which a post must have come to its end. */
const MINUTES = 45;

export async function openStage(
  platform: Platform,
  {
    person = "Ada",
    pageOf,
    usual = () => ({}),
    nameOf = ({ request, url }) => `${request.method} ${url.pathname}`,
  }: StageOptions = {},
): Promise<Stage> {
  const harness = new Harness();
  const member = await createMember();
  const { token } = member;
  const name = `${person} ${member.teamId}`;
  const simulator = await simulatedOf(platform)?.load();
  if (!simulator) throw new Error(`${platform} is not simulated.`);
  const connect: Stage["connect"] = (pageId) => {
    const json = { platform, sandbox: true, name, ...(pageId ? { pageId } : {}) };
    return harness.call("POST", "/accounts", { token, json });
  };
  const connected = await connect(await pageOf?.(name, member.teamId));
  expect(connected).toMatchObject({ status: 200, body: { success: true } });
  const account = connected.body.data;
  const accountId: string = account.id;
  const always = await usual(name);
  const stage: Stage = {
    ...stageOf(harness, member, accountId, () => always),
    name,
    account,
    connect,
    disconnect: async () => {
      const answer = await harness.call("DELETE", `/accounts/${accountId}`, { token });
      await harness.settle();
      return answer;
    },
    end: async (...ids) => {
      await follow(stage, ...ids);
      await finish(stage);
      return stage.read(ids[0] ?? 0);
    },
    watch: async (work, wrap = (_, answer) => answer()) => {
      const calls: string[] = [];
      const see: Wrap = async (call, answer) => {
        calls.push(await nameOf(call));
        return wrap(call, answer);
      };
      return { result: await temporary(simulator, see, work), calls };
    },
    publish: async (fields, wrap) => {
      const work = async () => stage.end(await stage.post(fields));
      const { result: upload, calls } = await stage.watch(work, wrap);
      return { upload, calls, feed: await stage.feed() };
    },
  };
  return stage;
}

/** Follows posts to their end; the record of the first. */
export async function follow(stage: AccountStage, ...ids: number[]) {
  const { harness, member } = stage;
  for (let minute = 0; minute < MINUTES; ) {
    await harness.drain(100);
    const uploads = await Promise.all(ids.map(stage.read));
    if (uploads.every(({ status }) => status === "completed" || status === "failed")) {
      return uploads[0];
    }
    const quiet = await minutesToNextWork(member.teamId, MINUTES);
    await tickAfter(harness, quiet);
    minute += quiet;
  }
  throw new Error("The post never came to an end.");
}

/** Runs the cron trigger some minutes later: it wakes what waits for longer than a queue message. */
async function tickAfter(harness: Harness, minutes: number): Promise<void> {
  harness.advance(60 * minutes);
  await harness.tick();
}

/**
 * Minutes between ticks after which nothing may be left to do: the next one, one past the patience for a
 * message, one past a lease, and one past the longest wait before another attempt.
 */
const LAST_TICKS = [1, 1, 3, 7];

/** Plays the ticks of twelve minutes that would wake a post once more. */
export async function finish({ harness }: Pick<Stage, "harness">): Promise<void> {
  for (const minutes of LAST_TICKS) {
    await harness.drain();
    await tickAfter(harness, minutes);
  }
  await harness.drain();
}

/** Has every call to the simulated network pass by `wrap` until the work is done; what that gives. */
export async function temporary<T>(
  simulator: Simulator,
  wrap: Wrap,
  work: () => Promise<T>,
): Promise<T> {
  const original = simulator.handle;
  simulator.handle = (call, store) => wrap(call, () => original(call, store));
  try {
    return await work();
  } finally {
    simulator.handle = original;
  }
}

export const count = (calls: string[], name: string): number =>
  calls.filter((call) => call === name).length;

/**
 * Has a run die at each of these writes in turn, with the write lost or once it is stored; the deaths so
 * far. A string is part of a write: a bookmark in it is JSON within JSON.
 */
export function dieAt(
  { harness }: Pick<Stage, "harness">,
  when: "before" | "after",
  writes: (string | ((queries: string) => boolean))[],
): () => number {
  let deaths = 0;
  aroundBatches(harness, async (run, text) => {
    const write = writes[deaths];
    const isNext = typeof write === "string" ? text.includes(write) : write?.(text);
    if (!isNext) return run();
    deaths++;
    if (when === "after") await run();
    throw new Error("The worker was killed.");
  });
  return () => deaths;
}

/** Has one run die before it can store what holds `written`, at the `nth` time; the deaths so far. */
export function dieBefore(stage: Pick<Stage, "harness">, written: string, nth = 1): () => number {
  let times = 0;
  return dieAt(stage, "before", [(queries) => queries.includes(written) && ++times === nth]);
}

/** Has a run die once it has stored a bookmark with one child, and so on up to `max`; the deaths so far. */
export function dieAfterChildren(stage: Pick<Stage, "harness">, max: number): () => number {
  const childrenIn = (queries: string) => {
    const children = /\\"children\\":\[([^\]]*)\]/.exec(queries)?.[1];
    return children ? children.split(",").length : 0;
  };
  const writes = Array.from(
    { length: max },
    (_, index) => (queries: string) => childrenIn(queries) === index + 1,
  );
  return dieAt(stage, "after", writes);
}
