import { beforeEach, expect, test } from "vitest";
import { createMember, Harness, type Member } from "../../support/harness.ts";
import { measure } from "../../support/meter.ts";
import { Visits } from "../../support/visits.ts";

const RULES = 1_000;
/** Source: the promise for a link of 1,000 rules. */
const MAX_MS = 50;
/** Times the duration for a plain link, which a busy machine slows too. */
const MAX_TIMES = 3;
const TRIES = 10;

const HOME = "https://example.com/";

let harness: Harness;
let owner: Member;
let visits: Visits;

beforeEach(async () => {
  harness = new Harness();
  owner = await createMember();
  visits = new Visits(harness);
});

const call = (method: string, path: string, json: object) =>
  harness.call(method, path, { token: owner.token, json });

async function make(json: object = {}): Promise<{ id: number; slug: string; shortUrl: string }> {
  const { status, body } = await call("POST", "/short-links", { url: HOME, ...json });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

/** Returns the visitor's destination; null when there is no link. */
const leadsTo = (url: string): Promise<string | null> =>
  visits.visit(url).then(
    ({ headers }) => headers.get("location"),
    () => null,
  );

const rule = (i: number, destination = `${HOME}${i}`) => ({
  type: "geo",
  countryCodes: "DE",
  destination,
});

test("no change makes a loop of two links, by whatever spelling and field", async () => {
  const [first, second] = [await make(), await make()];
  const { slug } = second;
  for (const url of [
    second.shortUrl,
    `HTTPS://AKIMBO.TEST/s/${slug}`,
    `https://akimbo.test:443/s/${slug}`,
    `https://akimbo.test/s/./${slug}`,
    `https://a@akimbo.test/s/${slug}`,
    `https://ａkimbo.test/s/${slug}`,
    `https:\\\\akimbo.test\\s\\${slug}`,
  ]) {
    for (const change of [{ url }, { rules: [rule(0, url)] }, { safeUrl: url }]) {
      const { status } = await call("PUT", `/short-links/${first.id}`, change);
      expect([url, Object.keys(change), status]).toEqual([url, Object.keys(change), 400]);
    }
  }
  expect(await visits.follow(first.shortUrl)).toBe(HOME);
});

test("an address that only looks like a link of ours leads nowhere", async () => {
  const { slug } = await make();
  expect(await leadsTo(`https://akimbo.test/s/${slug}`)).toBe(HOME);
  for (const path of [`//s/${slug}`, `/s//${slug}`, `/S/${slug}`, `/s/x/${slug}`]) {
    expect([path, await leadsTo(`https://akimbo.test${path}`)]).toEqual([path, null]);
  }
});

test.each(["%0d%0aSet-Cookie:%20a=b", "%0aLocation:%20https://evil.example", "%00", "%E2%80%A8x"])(
  "a slug with %s behind it finds nothing",
  async (tail) => {
    const { slug } = await make();
    expect(await leadsTo(`https://akimbo.test/s/${slug}${tail}`)).toBeNull();
  },
);

test("a destination with encoded line breaks stays one header", async () => {
  const url = "https://example.com/?a=%0d%0aSet-Cookie:%20b=c";
  const { shortUrl } = await make({ url });
  const answer = await visits.visit(shortUrl);
  expect(answer.headers.get("location")).toBe(url);
  expect(answer.headers.get("set-cookie")).toBeNull();
});

test("10,000 rules are refused as a whole, and nothing of them is stored", async () => {
  const rules = Array.from({ length: 10_000 }, (_, i) => rule(i));
  const { costs, result } = await measure(harness, () =>
    call("POST", "/short-links", { url: HOME, rules }),
  );
  expect([400, 413]).toContain(result.status);
  expect(costs.rowsWritten).toBe(0);
});

test("a visit to a link of 1,000 rules reads at most one row more for each rule, and is as quick", async () => {
  const few = await make({ rules: [rule(0)] });
  const many = await make({ rules: Array.from({ length: RULES }, (_, i) => rule(i)) });
  // A search reads a row less when it ends at the index's last link, as with random slugs it may.
  await make({ slug: `zzzz${owner.teamId}` });
  const visit = ({ shortUrl }: { shortUrl: string }) => visits.follow(shortUrl, { country: "FR" });
  const costsOf = async (link: { shortUrl: string }) => {
    // A visited link is cached for a moment.
    harness.advance(60);
    return (await measure(harness, () => visit(link))).costs;
  };
  const [usual, max] = [await costsOf(few), await costsOf(many)];
  // The query compares each destination with the domains of short links.
  expect(max.rowsRead - usual.rowsRead).toBeLessThanOrEqual(RULES - 1);
  expect(max.roundTrips.length).toBe(usual.roundTrips.length);
  const shortest = async (link: { shortUrl: string }) => {
    let ms = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < TRIES; tries++) {
      harness.advance(60);
      const startedAt = performance.now();
      await visit(link);
      ms = Math.min(ms, performance.now() - startedAt);
    }
    return ms;
  };
  const ms = await shortest(many);
  if (ms > MAX_MS) expect(ms).toBeLessThanOrEqual((await shortest(few)) * MAX_TIMES);
});
