import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import {
  FOLLOWERS_ONLY,
  type MastodonPosting,
  type MastodonWorld,
  STATUSES,
  toPhoto,
} from "./mastodon-posting.ts";
import type { Check } from "./posting.ts";

const KILLS = 6;
/** A fifth of the answers. */
const LOST_OF = 5;
/** A quarter of the posts. */
const WITH_IMAGE = 4;
const LANES = 4;
/** Status of the refusal of that name. */
const QUEUE_BUSY = 409;
const POLL_MS = 1_000;
const TICK_MS = 5_000;
const STORM_MS = 30 * 60_000;

interface State {
  status: string;
  errorMessage: string | null;
  metadata: { videoId: string } | null;
}

export function createLossChecks(
  world: MastodonWorld,
  posting: MastodonPosting,
  posts: number,
): Check[] {
  const { publishDespite, toText } = posting;
  return [
    {
      name: "finds the post whose answer got lost, and makes no second one",
      run: async () => {
        await publishDespite("reply", { description: toText("The answer to this one gets lost") });
      },
    },
    {
      name: "finds the post with an image whose answer got lost, by the image",
      run: async () => {
        const { media_attachments } = await publishDespite("reply", {
          description: toText("The answer to this one with an image gets lost"),
          photo: [toPhoto(120, 80)],
        });
        assert.equal(media_attachments.length, 1);
      },
    },
    {
      name: "sends a post again that never arrived, once",
      run: async () => {
        await publishDespite("request", {
          description: toText("This one does not arrive at first"),
        });
      },
    },
    {
      name: `publishes ${posts} posts once each, while a fifth of the answers is lost and Akimbo is killed ${KILLS} times`,
      run: () => weatherStorm(world, posting, posts),
    },
  ];
}

async function weatherStorm(
  { akimbo, server, relay }: MastodonWorld,
  posting: MastodonPosting,
  posts: number,
): Promise<void> {
  const texts = Array.from({ length: posts }, (_, i) => posting.toText(`Storm ${i + 1}`));
  const hasImage = (index: number) => index % WITH_IMAGE === 0;
  const uploadIds: number[] = [];
  const callsBefore = relay.callsOf(STATUSES).length;
  const lostAnswers = relay.loseEvery(STATUSES, LOST_OF);
  const deadline = Date.now() + STORM_MS;
  let next = 0;
  let kills = 0;

  /** Asks again while Akimbo is down, or has as many posts of the account as it takes at once. */
  async function insist<T>(ask: () => Promise<{ status: number; body: T }>): Promise<T> {
    for (;;) {
      const answer = await ask().catch(() => null);
      if (answer?.status === 200) return answer.body;
      if (answer && answer.status < 500 && answer.status !== QUEUE_BUSY) {
        throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
      }
      assert.ok(Date.now() < deadline, "Akimbo does not answer.");
      await sleep(POLL_MS);
    }
  }

  async function sendPosts(): Promise<void> {
    for (let index = next++; index < posts; index = next++) {
      const key = posting.toText(`key-${index}`);
      const fields = {
        accountId: posting.accountId(),
        ...FOLLOWERS_ONLY,
        description: texts[index] ?? "",
        ...(hasImage(index) ? { photo: [toPhoto(64 + index, 48)] } : {}),
      };
      uploadIds[index] = (await insist(() => akimbo.post(fields, key))).data.uploadId;
    }
  }

  const callsMade = () => relay.callsOf(STATUSES).length - callsBefore;

  async function killAtTimes(): Promise<void> {
    for (; kills < KILLS; kills++) {
      const dueCalls = ((kills + 1) * posts) / (KILLS + 1);
      while (callsMade() < dueCalls) {
        assert.ok(Date.now() < deadline, `Only ${callsMade()} calls came.`);
        await sleep(20);
      }
      await akimbo.killAndRestart();
    }
  }

  /** Runs the schedule more often than once a minute, which wakes what a killed Akimbo left behind. */
  async function endAll(): Promise<State[]> {
    const ended: State[] = [];
    for (;;) {
      for (const index of texts.keys()) {
        if (ended[index] || uploadIds[index] === undefined) continue;
        const path = `/upload/${uploadIds[index]}`;
        const { data } = await insist(() => akimbo.call<{ data: State }>("GET", path));
        if (data.status === "completed" || data.status === "failed") ended[index] = data;
      }
      if (ended.filter(Boolean).length === posts) return ended;
      assert.ok(Date.now() < deadline, `Only ${ended.filter(Boolean).length} posts ended.`);
      await akimbo.leapTo(new Date(), 1).catch(() => {});
      await sleep(TICK_MS);
    }
  }

  const startedAt = Date.now();
  const lanes = Array.from({ length: LANES }, sendPosts);
  const [ended] = await Promise.all([endAll(), killAtTimes(), ...lanes]);
  const lost = lostAnswers();
  relay.loseEvery(STATUSES, null);
  const seconds = Math.round((Date.now() - startedAt) / 1_000);
  console.log(
    `      ${posts} posts in ${seconds} s: ${callsMade()} calls, ${lost} answers lost, ${kills} kills`,
  );

  const failures = ended.filter(({ status }) => status !== "completed");
  assert.deepEqual(
    failures.map(({ errorMessage }) => errorMessage),
    [],
    "failed posts",
  );
  const statuses = (await server.listStatuses()).filter((status) =>
    status.content.includes(posting.toText("").trim()),
  );
  const counts = new Map<string, number>();
  const read = await Promise.all(
    statuses.map(async (status) => ({ status, text: await server.readText(status.id) })),
  );
  for (const { text } of read) counts.set(text, (counts.get(text) ?? 0) + 1);
  const wrong = texts.filter((text) => counts.get(text) !== 1);
  assert.deepEqual(
    wrong.map((text) => [text, counts.get(text) ?? 0]),
    [],
    "posts that are not there once",
  );
  for (const [index, text] of texts.entries()) {
    const status = read.find((one) => one.text === text)?.status;
    assert.equal(ended[index]?.metadata?.videoId, status?.id, text);
    assert.equal(status?.media_attachments.length, hasImage(index) ? 1 : 0, text);
  }
}
