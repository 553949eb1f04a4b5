import { expect } from "vitest";
import type { Platform } from "../../src/core/platforms.ts";
import type { SimulatedCall, Simulator } from "../../src/sandbox/kit/simulator.ts";
import { type Answer, createMember, form, Harness, type Member } from "./harness.ts";
import { testJpeg, testPng, verticalMp4 } from "./videos.ts";

export type Fields = Parameters<typeof form>[0];

export const jpeg = () => new Blob([testJpeg], { type: "image/jpeg" });
export const png = () => new Blob([testPng], { type: "image/png" });
export const mp4 = (bytes = verticalMp4) => new Blob([bytes], { type: "video/mp4" });

/** A sandbox account of one platform, and what a test does with it. */
export interface Stage {
  harness: Harness;
  member: Member;
  /** As the login of the sandbox knows it. */
  name: string;
  accountId: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the account holds
  account: any;
  /** Connects the same login once more, or a page of it. */
  connect(pageId?: string): Promise<Answer>;
  /** Posts, whatever the answer. */
  send(fields: Fields): Promise<Answer>;
  /** Posts what is taken; its id. */
  post(fields: Fields): Promise<number>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the record holds
  read(id: number): Promise<any>;
  /** Posts and follows it to its end; the record. */
  // biome-ignore lint/suspicious/noExplicitAny: as in `read`
  publish(fields: Fields): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the feed holds
  feed(): Promise<any[]>;
}

interface StageOptions {
  /** The team's id is added to it. */
  person?: string;
  /** Which page of the login to connect, where it is not the login itself; its id. */
  pageOf?(name: string, teamId: number): Promise<string>;
}

export async function openStage(
  platform: Platform,
  { person = "Ada", pageOf }: StageOptions = {},
): Promise<Stage> {
  const harness = new Harness();
  const member = await createMember();
  const { token } = member;
  const name = `${person} ${member.teamId}`;
  const connect: Stage["connect"] = (pageId) => {
    const json = { platform, sandbox: true, name, ...(pageId ? { pageId } : {}) };
    return harness.call("POST", "/accounts", { token, json });
  };
  const connected = await connect(await pageOf?.(name, member.teamId));
  expect(connected).toMatchObject({ status: 200, body: { success: true } });
  const account = connected.body.data;
  const accountId: string = account.id;
  const send: Stage["send"] = (fields) =>
    harness.call("POST", "/upload", { token, body: form({ accountId, ...fields }) });
  const post: Stage["post"] = async (fields) => {
    const answer = await send(fields);
    expect(answer.body).toMatchObject({ success: true });
    return answer.body.data.uploadId;
  };
  const read: Stage["read"] = async (id) =>
    (await harness.call("GET", `/upload/${id}`, { token })).body.data;
  return {
    harness,
    member,
    name,
    accountId,
    account,
    connect,
    send,
    post,
    read,
    publish: async (fields) => {
      const id = await post(fields);
      for (let minute = 0; minute < 15; minute++) {
        await harness.drain(100);
        const upload = await read(id);
        if (upload.status === "completed" || upload.status === "failed") return upload;
        await nextMinute(harness);
      }
      throw new Error("The post never came to an end.");
    },
    feed: async () => {
      const answer = await harness.request(`/sandbox/api/posts?accountId=${accountId}`);
      return ((await answer.json()) as { posts: [] }).posts;
    },
  };
}

/** What waits for longer than a queue message is woken by the cron trigger. */
async function nextMinute(harness: Harness): Promise<void> {
  harness.advance(60);
  await harness.tick();
}

/** Until nothing is left to do. */
export async function finish({ harness }: Stage): Promise<void> {
  for (let minute = 0; minute < 12; minute++) {
    await harness.drain();
    await nextMinute(harness);
  }
  await harness.drain();
}

type Wrap = (call: SimulatedCall, answer: () => Promise<Response>) => Promise<Response>;

/** Has every call to the simulated network pass by `wrap` until the work is done; what that gives. */
export async function passing<T>(
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

/** A function that answers what `toSeen` makes of the calls to the simulated network, in their order. */
export const watcherOf =
  <Seen>(simulator: Simulator, toSeen: (call: SimulatedCall) => Seen) =>
  async (work: () => Promise<unknown>, wrap: Wrap = (_, answer) => answer()): Promise<Seen[]> => {
    const calls: Seen[] = [];
    const see: Wrap = (call, answer) => {
      calls.push(toSeen(call));
      return wrap(call, answer);
    };
    await passing(simulator, see, work);
    return calls;
  };

export const count = (calls: string[], name: string): number =>
  calls.filter((call) => call === name).length;

/** Has a run die at each of these writes in turn, with the write lost or once it is stored. */
function dieAt(
  { harness }: Stage,
  when: "before" | "after",
  writes: ((queries: string) => boolean)[],
): () => number {
  const { db } = harness.deps;
  let deaths = 0;
  const runAll: typeof db.runAll = async (queries) => {
    if (!writes[deaths]?.(JSON.stringify(queries))) return db.runAll(queries);
    deaths++;
    if (when === "after") await db.runAll(queries);
    throw new Error("The worker was killed.");
  };
  Object.assign(harness.deps, { db: { ...db, runAll } });
  return () => deaths;
}

/** Has one run die before it can store what holds `written`, at the `nth` time; the deaths so far. */
export function dieBefore(stage: Stage, written: string, nth = 1): () => number {
  let times = 0;
  return dieAt(stage, "before", [(queries) => queries.includes(written) && ++times === nth]);
}

/** Has a run die once it has stored a bookmark with one child, and so on up to `most`; the deaths so far. */
export function dieAfterChildren(stage: Stage, most: number): () => number {
  const childrenIn = (queries: string) => {
    const children = /\\"children\\":\[([^\]]*)\]/.exec(queries)?.[1];
    return children ? children.split(",").length : 0;
  };
  const writes = Array.from(
    { length: most },
    (_, index) => (queries: string) => childrenIn(queries) === index + 1,
  );
  return dieAt(stage, "after", writes);
}
