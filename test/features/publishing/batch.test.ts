import { describe, expect, test } from "vitest";
import { publishUpload } from "../../../src/features/publishing/run.ts";
import { createMember, type Fields, Harness } from "../../support/harness.ts";
import { type Costs, measure } from "../../support/meter.ts";
import { connectFakePds, FakePds } from "../../support/pds.ts";
import { openAccount, photo, stageOf } from "../../support/stage.ts";
import { pixelPng } from "../../support/videos.ts";

/** Source: Workers, "Limits", of the free plan. */
const SUBREQUESTS = 50;

const [config = ""] = Object.values(
  import.meta.glob("../../../wrangler.toml", { query: "?raw", import: "default", eager: true }),
);
const BATCH = Number(/queue = "akimbo-publish"\nmax_batch_size = (\d+)/.exec(config)?.[1]);

const subrequestsOf = ({ roundTrips, queueSends, storageCalls, fetches }: Costs) =>
  roundTrips.length + queueSends.length + storageCalls.length + fetches.length;

/** A batch of posts at a live account, and their messages. */
async function batchOf(
  fieldsOf: (index: number) => Fields,
  wait: Harness["deps"]["wait"] = () => new Promise(() => {}),
) {
  const harness = new Harness({ wait });
  const member = await createMember();
  const pds = new FakePds();
  const stage = stageOf(harness, member, await connectFakePds(harness, member, pds));
  const ids: number[] = [];
  for (let i = 0; i < BATCH; i++) {
    ids.push(await stage.post({ description: `Post ${i}`, ...fieldsOf(i) }));
  }
  const statuses = async (): Promise<string[]> =>
    (await Promise.all(ids.map(stage.read))).map(({ status }) => status);
  const messages = () => harness.sent.splice(0).map(({ message }) => message);
  return { harness, pds, ids, statuses, messages };
}

const all = (status: string) => Array.from({ length: BATCH }, () => status);

test("texts that fill a batch go out in one invocation", async () => {
  const { harness, statuses, messages } = await batchOf(() => ({}));
  const { costs } = await measure(harness, () => harness.consume(messages()));
  expect(await statuses()).toEqual(all("completed"));
  expect(harness.sent).toEqual([]);
  // Each is claimed, entered, sent and completed.
  expect(subrequestsOf(costs)).toBe(BATCH * 4);
});

test("a slow post holds no other one of its batch", async () => {
  const { harness, pds, ids, statuses, messages } = await batchOf(() => ({}));
  const slow = Promise.withResolvers<void>();
  pds.intercept = ({ method, answer }) =>
    method === "repo.putRecord" && pds.count(method) === 1 ? slow.promise.then(answer) : undefined;
  const consuming = harness.consume(messages());
  await expect.poll(() => pds.records.size).toBe(BATCH - 1);
  await expect
    .poll(async () => (await statuses()).toSorted())
    .toEqual([...all("completed").slice(1), "processing"]);
  slow.resolve();
  await consuming;
  expect(await statuses()).toEqual(all("completed"));
  expect(pds.records.size).toBe(ids.length);
});

describe("posts that need more than one invocation has", () => {
  const NETWORK_IMAGE = "https://cdn.example.com/";

  test.each<[string, (index: number) => Fields]>([
    ["four images each", () => ({ photo: [photo(), photo(), photo(), photo()] })],
    ["an image by URL each", (index) => ({ photo: `${NETWORK_IMAGE}${index}.png` })],
    [
      "four images by URL each",
      (index) => ({ photo: [0, 1, 2, 3].map((i) => `${NETWORK_IMAGE}${index}-${i}.png`) }),
    ],
  ])("share it, and go on in the next: %s", async (_, fieldsOf) => {
    const { harness, pds, statuses, messages } = await batchOf(fieldsOf);
    harness.network = async (input, init) => {
      const request = new Request(input, init);
      return request.url.startsWith(NETWORK_IMAGE) ? new Response(photo()) : pds.fetch(request);
    };
    const spent: number[] = [];
    for (let batch = messages(); batch.length > 0; batch = messages()) {
      const { costs } = await measure(harness, () => harness.consume(batch));
      spent.push(subrequestsOf(costs));
      expect(spent.length).toBeLessThan(20);
    }
    expect(await statuses()).toEqual(all("completed"));
    expect(Math.max(...spent)).toBeLessThanOrEqual(SUBREQUESTS);
    expect(pds.records.size).toBe(BATCH);
  });
});

describe("every call that leaves the Worker counts", () => {
  /** Publishes without a limit; what was counted. */
  async function countedFor(harness: Harness, uploadId: number): Promise<number> {
    let count = 0;
    await publishUpload(harness.deps, uploadId, {
      within: (_calls, step) =>
        step(() => {
          count++;
        }),
    });
    return count;
  }

  test("to the database, to storage and to a platform", async () => {
    const { harness, ids } = await batchOf(() => ({ photo: [photo(), photo()] }));
    const { costs, result } = await measure(harness, () => countedFor(harness, ids[0] ?? 0));
    expect(result).toBe(subrequestsOf(costs));
    expect(costs).toMatchObject({ storageCalls: ["get", "get"], fetches: { length: 3 } });
  });

  test("each part of a file that is stored", async () => {
    const { harness, ids } = await batchOf(() => ({ photo: "https://cdn.example.com/a.png" }));
    harness.network = async () =>
      new Response(new Blob([pixelPng, new Uint8Array(17 * 1_024 ** 2)]));
    // Claimed, fetched, begun, three parts, ended, noted, refused by its size, and its author told.
    expect(await countedFor(harness, ids[0] ?? 0)).toBe(1 + 1 + 1 + 3 + 1 + 1 + 1 + 1);
  });

  test("to a simulated platform, and the wake-up of a post that waits", async () => {
    const { harness, post } = await openAccount();
    const id = await post({ description: "Lost [sandbox:lost_reply]" });
    // Claimed, entered, sent, parked and woken.
    expect(await countedFor(harness, id)).toBe(5);
  });
});
