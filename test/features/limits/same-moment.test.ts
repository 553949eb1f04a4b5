import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { connectSandbox, type Fields, form, Harness } from "../../support/harness.ts";
import { beginLife, type Life, later } from "../../support/life.ts";
import { PoolTeam } from "../../support/pools.ts";
import { openStage, photo } from "../../support/stage.ts";

const CALLS = 5;
const times = <T>(work: (i: number) => Promise<T>, count = CALLS): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)));

const send = ({ harness, member, accountId }: Life, fields: Fields, key?: string) =>
  harness.call("POST", "/upload", {
    token: member.token,
    ...(key ? { headers: { "idempotency-key": key } } : {}),
    body: form({ accountId, ...fields }),
  });

const refusedFor = (uploadId: number) => ({
  status: 400,
  body: {
    message: expect.stringContaining(`Post ${uploadId} `),
    violations: [{ type: "duplicate_content", uploadId }],
  },
});

/** The posts of the team's sandbox account. */
async function published({ harness, accountId }: Pick<Life, "harness" | "accountId">) {
  const answer = await harness.request(`/sandbox/api/posts?accountId=${accountId}`);
  return ((await answer.json()) as { posts: object[] }).posts;
}

describe("the same post asked for at the same moment", () => {
  test.each<[string, () => Fields]>([
    ["a text", () => ({ description: "Hello" })],
    ["a file", () => ({ description: "Look", photo: file })],
    ["a date", () => ({ description: "Later", schedule_date: later(3_600).toISOString() })],
    ["a URL", () => ({ description: "There", photo: "https://files.example.com/a.png" })],
  ])("with %s is one post; the others name it", async (_, fields) => {
    const life = await beginLife();
    const answers = await times(() => send(life, fields()));
    const [winner, ...more] = answers.filter(({ status }) => status === 200);
    expect(more).toEqual([]);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(CALLS - 1);
    for (const one of refused) expect(one).toMatchObject(refusedFor(winner?.body.data.uploadId));
  });

  const file = photo();

  test("in five batches is one post for each account", async () => {
    const life = await beginLife();
    const { harness, member } = life;
    const other = await connectSandbox(harness, member, "Other");
    const accounts = [life.accountId, other];
    const answers = await times(() =>
      harness.call("POST", "/upload/bulk", {
        token: member.token,
        body: form({ accounts: JSON.stringify(accounts), description: "Hello", photo: file }),
      }),
    );
    const results = answers.flatMap(({ body }) => body.results);
    for (const accountId of accounts) {
      const own = results.filter((one) => one.accountId === accountId);
      const [made, ...more] = own.filter(({ success }) => success);
      expect(more).toEqual([]);
      for (const { error } of own.filter(({ success }) => !success)) {
        expect(error).toContain(`Post ${made.uploadId} `);
      }
    }
  });

  test("under one Idempotency-Key is the same answer each time", async () => {
    const life = await beginLife();
    const answers = await times(() => send(life, { description: "Hello" }, "once"));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body.data.uploadId)).size).toBe(1);
    expect(await send(life, { description: "Hello" }, "once")).toMatchObject({ status: 200 });
  });

  test("by four pools is one post; three items are skipped, with the reason in words", async () => {
    const team = await PoolTeam.make();
    const pools = await times(() => team.pool(), 4);
    for (const { id } of pools) {
      expect((await team.add(id, { title: "The same tip", photo: file })).status).toBe(200);
    }
    team.moveTo("2026-12-01T09:30:00Z");
    await team.harness.tick();
    const messages = team.harness.sent.splice(0).map(({ message }) => message);
    await Promise.all(messages.map((message) => team.harness.consume([message])));
    await team.runUntil("2026-12-01T09:33:00Z");
    expect(await published(team)).toHaveLength(1);
    const firings = (await Promise.all(pools.map(({ id }) => team.firings(id)))).flat();
    const [first] = firings.filter(({ outcome }) => outcome === "dispatched");
    const skipped = firings.filter(({ outcome }) => outcome === "skipped");
    expect(skipped).toHaveLength(3);
    for (const { reason, uploadIds } of skipped) {
      expect(uploadIds).toEqual([]);
      expect(reason).toContain(`Post ${first.uploadIds[0]} `);
    }
  });

  test("on x is one post, and the others fail with their credits back", async () => {
    const stage = await openStage("x");
    const { harness, member } = stage;
    // The platform itself refuses the same text, and not the same file.
    const ids = await times((i) => stage.post({ title: `Number ${i}`, photo: file }));
    const messages = harness.sent.splice(0).map(({ message }) => message);
    await Promise.all(messages.map((message) => harness.consume([message])));
    await harness.drain(100);
    const uploads = await Promise.all(ids.map(stage.read));
    expect(await stage.feed()).toHaveLength(1);
    const failed = uploads.filter(({ status }) => status === "failed");
    expect(failed).toHaveLength(CALLS - 1);
    for (const one of failed) {
      expect(one).toMatchObject({ failure: { code: "content_flagged" }, xCredits: { net: 0 } });
    }
    const credits = await harness.call("GET", "/x-credits", { token: member.token });
    const { monthlyAllowance, includedRemaining } = credits.body.data.balance;
    expect(monthlyAllowance - includedRemaining).toBe(1);
  });
});

describe("two held posts that are the same", () => {
  const held = (life: Life, description = "Hello") =>
    life.insert({ status: "pending_approval", title: null, description });

  test("are approved at the same moment: one goes out, the other names it", async () => {
    const life = await beginLife();
    const ids = [await held(life), await held(life)];
    const answers = await Promise.all(ids.map((id) => life.call("POST", `/upload/${id}/approve`)));
    const winner = ids[answers.findIndex(({ status }) => status === 200)] ?? 0;
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toMatchObject([refusedFor(winner)]);
  });

  test("one approved while the same is created: one of them", async () => {
    for (let i = 0; i < 5; i++) {
      const life = await beginLife();
      const id = await held(life);
      const answers = await Promise.all([
        life.call("POST", `/upload/${id}/approve`),
        send(life, { description: "Hello" }),
      ]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
      const refused = answers.find(({ status }) => status === 400);
      expect(refused?.body).toMatchObject({ violations: [{ type: "duplicate_content" }] });
    }
  });
});

describe("a retry", () => {
  const failed = (life: Life, columns: object = {}) =>
    life.insert({ status: "failed", title: null, description: "Hello", ...columns });

  test("of a post that was made again meanwhile names the other", async () => {
    const life = await beginLife();
    const id = await failed(life);
    const made = await send(life, { description: "Hello" });
    expect(made.status).toBe(200);
    const { uploadId } = made.body.data;
    const retried = await life.call("POST", `/upload/${id}/retry`, {});
    expect(retried).toMatchObject(refusedFor(uploadId));
    const all = await life.call("POST", "/upload/retry-failed", {});
    expect(all.body.data).toMatchObject({
      retried: [],
      skipped: [{ uploadId: id, reason: expect.stringContaining(`Post ${uploadId} `) }],
    });
  });

  test("of two posts that are the same, and a third made at that moment: one of them", async () => {
    for (let i = 0; i < 5; i++) {
      const life = await beginLife();
      const ids = [await failed(life), await failed(life)];
      const answers = await Promise.all([
        ...ids.map((id) => life.call("POST", `/upload/${id}/retry`, {})),
        send(life, { description: "Hello" }),
      ]);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      await life.harness.drain();
      expect(await published(life)).toHaveLength(1);
    }
  });

  test("of all that failed takes one of those that are the same", async () => {
    const life = await beginLife();
    const [first, second] = [await failed(life), await failed(life)];
    const { body } = await life.call("POST", "/upload/retry-failed", {});
    expect(body.data).toMatchObject({
      retried: [first],
      skipped: [{ uploadId: second, reason: expect.stringContaining(`Post ${first} `) }],
    });
  });

  test("of a post of long ago counts from now on", async () => {
    const life = await beginLife();
    const id = await failed(life, { sort_at: later(-10 * 86_400).getTime() });
    expect((await life.call("POST", `/upload/${id}/retry`, {})).status).toBe(200);
    expect(await send(life, { description: "Hello" })).toMatchObject(refusedFor(id));
  });
});

describe("an edit", () => {
  const planned = (life: Life, description: string, hours = 1) =>
    send(life, { description, schedule_date: later(hours * 3_600).toISOString() }).then(
      ({ body }) => body.data.uploadId as number,
    );

  test("into the text of another post is refused, and so is a date next to the same one", async () => {
    const life = await beginLife();
    const [one, two] = [await planned(life, "One"), await planned(life, "Two")];
    const edited = await life.call("PATCH", `/upload/${two}`, { description: "ONE!" });
    expect(edited).toMatchObject(refusedFor(one));
    const far = await planned(life, "One", 100);
    const moved = await life.call("PATCH", `/upload/${far}`, {
      scheduledFor: later(7_200).toISOString(),
    });
    expect(moved).toMatchObject(refusedFor(one));
    const own = await life.call("PATCH", `/upload/${one}`, { description: "One." });
    expect(own.status).toBe(200);
  });

  test("of five posts into the same text at the same moment: one of them", async () => {
    const life = await beginLife();
    const texts = ["Ant", "Bee", "Cat", "Dog", "Elk"];
    const ids = [];
    for (const text of texts) ids.push(await planned(life, text));
    const answers = await Promise.all(
      ids.map((id) => life.call("PATCH", `/upload/${id}`, { description: "Hello" })),
    );
    const winner = ids[answers.findIndex(({ status }) => status === 200)] ?? 0;
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(CALLS - 1);
    for (const one of refused) expect(one).toMatchObject(refusedFor(winner));
  });
});

describe("the place of a post", () => {
  const make = (life: Life) => send(life, { description: "Hello" });

  test("is free once it is cancelled, has failed or is removed, within the same second", async () => {
    const life = await beginLife();
    const first = (await make(life)).body.data.uploadId;
    await life.call("DELETE", `/upload/${first}`);
    const answers = await times(() => make(life));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const other = await beginLife();
    const text = { description: "No [sandbox:content_flagged]" };
    expect((await send(other, text)).status).toBe(200);
    expect((await send(other, text)).status).toBe(400);
    await other.harness.drain();
    expect((await send(other, text)).status).toBe(200);
  });

  test("is one of its own team, also where two have connected the same account of the platform", async () => {
    const harness = new Harness();
    const lives = [await beginLife(harness), await beginLife(harness)];
    await env.DB.prepare(
      "UPDATE accounts SET platform_account_id = 'did:plc:same' WHERE id IN (?, ?)",
    )
      .bind(...lives.map(({ accountId }) => accountId))
      .run();
    const answers = await Promise.all(lives.map(make));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  test("is found among any number of posts between", async () => {
    const life = await beginLife();
    const first = (await send(life, { description: "Hello" })).body.data.uploadId;
    await life.insertMany(
      Array.from({ length: 400 }, (_, i) => ({
        status: "scheduled",
        scheduled_for: later(3_600 + i).getTime(),
        description: `Number ${i}`,
      })),
    );
    const schedule_date = later(24 * 3_600).toISOString();
    expect(await send(life, { description: "Hello", schedule_date })).toMatchObject(
      refusedFor(first),
    );
    const held = await life.insert({
      status: "pending_approval",
      title: null,
      description: "Hello",
      scheduled_for: later(24 * 3_600).getTime(),
    });
    expect(await life.call("POST", `/upload/${held}/approve`)).toMatchObject(refusedFor(first));
  });

  test("is taken by its files too, in any order", async () => {
    const life = await beginLife();
    const [a, b] = [photo(), photo()];
    expect((await send(life, { description: "Two", photo: [a, b] })).status).toBe(200);
    const answers = await times((i) =>
      send(life, { description: "Two", photo: i % 2 ? [a, b] : [b, a] }),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(CALLS).fill(400));
    expect((await send(life, { description: "Two", photo: a })).status).toBe(200);
  });
});

test("a draft and a held post take no place", async () => {
  const life = await beginLife();
  for (const status of ["draft", "pending_approval"]) {
    expect((await send(life, { description: "Hello", status })).status).toBe(200);
  }
  const answers = await times(() => send(life, { description: "Hello" }));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});
