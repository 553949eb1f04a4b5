import { MISSED } from "../../../src/features/pools/repo/firings.ts";
import { RESTORED } from "../../../src/features/publishing/rules.ts";
import { capabilities } from "../../../src/platforms/bluesky/capabilities.ts";
import { readDatabase, readLeaks } from "../evidence.ts";
import { type Arrival, duplicates, isUndecided, judge, type UploadState } from "../findings.ts";
import { addCounts, printCounts, type Verdicts } from "../verdicts.ts";
import { arrivalsOf } from "./arrivals.ts";
import { printBill } from "./bill.ts";
import type { Told, World } from "./calendar.ts";
import { isOutcome } from "./feed.ts";
import { countFirings, type Known, outcomesOf, postOf } from "./ledger.ts";
import type { Service } from "./service.ts";
import { ACCOUNTS_PER_TEAM } from "./teams.ts";
import { clicksIn } from "./visitors.ts";

type Month = World & Told & { start: number; days: number };

const SHOWN_REFUSALS = 5;
const SHOWN_CHARACTERS = 150;
const MAX_REFUSED = 0.05;
/** The night of a kill or of the restore may be missing. */
const MISSING_NIGHTS = 2;

/** Prints the ledger and the bill of the month, and judges them. */
export async function judgeMonth(verdicts: Verdicts, month: Month): Promise<void> {
  const { service, platform, people, events, teams, days } = month;
  const { uploads } = await readDatabase(service.db);
  const arrivals = await arrivalsOf(service, platform);
  console.log("\nThe ledger of the month");
  show(month, uploads);
  const twice = [...Map.groupBy(arrivals, ({ text }) => text)].filter(([, all]) => all.length > 1);
  verdicts.check(
    `${arrivals.length} posts, parts and comments at the platforms, ${duplicates(arrivals)} of them twice`,
    twice.length === 0,
    twice.map(([text, all]) => `${text}: ${all.map(describe).join(" and ")}`),
  );
  const items = await service.sql("SELECT title, state FROM pool_items");
  const states = new Map(items.map(({ title, state }) => [String(title), String(state)]));
  const missed = await service.sql(
    "SELECT outcome, reason, count(*) AS n FROM pool_firings GROUP BY outcome, reason",
  );
  printCounts(
    "firings of pools",
    Object.fromEntries(
      missed.map(({ outcome, reason, n }) => [`${outcome} ${reason ?? ""}`, Number(n)]),
    ),
  );
  judgeRows(
    verdicts,
    month,
    { uploads, arrivals, items: states, refused: people.refused },
    await readMissed(month),
  );
  const known = new Set(uploads.map(({ text }) => text));
  const asked = approvedAndLost(month);
  const isRestored = ({ message, status, text }: UploadState) =>
    message?.startsWith(RESTORED) || (status === "pending_approval" && asked.has(text));
  const restored = new Set(uploads.filter(isRestored).map(({ text }) => text));
  verdicts.judge(
    judge({
      // A post that is held or waits for approval again after the restore says nothing of its parts.
      uploads: uploads.map((one) => (isRestored(one) ? { ...one, parts: [] } : one)),
      events: [...events],
      // The ledger judges what only the lost database knew.
      arrivals: (await withTimes(service, arrivals)).filter(
        ({ text }) => known.has(postOf(text)) && (known.has(text) || !restored.has(postOf(text))),
      ),
      left: 0,
      cap: capabilities.dailyPostCap,
      acknowledged: people.posts.flatMap(({ text, id }) => (known.has(text) ? [id] : [])),
    }),
  );
  judgeEvents(verdicts, month);
  await judgeClicks(verdicts, month);
  const leaks = await readLeaks({ db: service.db });
  verdicts.check("credits of X: each balance is what its ledger says", leaks.length === 0, leaks);
  await judgeLogins(verdicts, service);
  await judgeFigures(verdicts, service, days);
  printBill(service.bill, {
    posts: arrivals.length,
    accountNights: teams.length * ACCOUNTS_PER_TEAM,
  });
}

/** Texts of posts that were approved between the backup and the loss. They wait for approval again, and may be published. */
function approvedAndLost({ people, restored }: Month): ReadonlySet<string> {
  const isLost = (at: number | null) =>
    at !== null && restored !== null && at >= restored.backedUpAt && at < restored.at;
  return new Set(people.posts.flatMap((post) => (isLost(post.approvedAt) ? [post.text] : [])));
}

const describe = ({ at, url, key }: Arrival): string =>
  `${url ?? `record ${key}`} at ${new Date(at).toISOString()}`;

function show({ platform, people, kills }: Month, uploads: readonly UploadState[]): void {
  const outcomes: Record<string, number> = {};
  for (const { status, failureCode } of uploads) {
    addCounts(outcomes, { [failureCode ? `${status} as ${failureCode}` : status]: 1 });
  }
  printCounts(`outcomes of ${uploads.length} uploads`, outcomes);
  const held = uploads
    .filter(isUndecided)
    .map(({ message }) => message?.slice(0, SHOWN_CHARACTERS));
  for (const [message, all] of Map.groupBy(held, (one) => one ?? "")) {
    console.log(`    ${all.length} × ${message}`);
  }
  printCounts("faults", {
    ...platform.faults,
    kills,
    "calls cut off": people.cutOff,
    "accounts connected again": people.reconnected,
    "calls refused": people.refusals.length,
  });
  for (const refusal of people.refusals.slice(0, SHOWN_REFUSALS)) console.log(`    ${refusal}`);
}

/** Due = out + refused + held, for what people sent and for the slots of pools. */
function judgeRows(verdicts: Verdicts, month: Month, known: Known, missed: Missed): void {
  const { people, items, teams, start, service } = month;
  const sent = outcomesOf(
    people.posts.map(({ text }) => text),
    known,
  );
  const { out, refused, held } = sent.counts;
  verdicts.check(
    `${people.posts.length} posts that were accepted = ${out} out + ${refused} refused + ${held} held`,
    people.posts.length === out + refused + held && refused <= MAX_REFUSED * people.posts.length,
    sent.wrong,
  );
  const firings = teams
    .map(({ slot }) => countFirings(slot.zone, slot.time, start, service.now))
    .reduce((sum, one) => sum + one, 0);
  const pools = outcomesOf(items, known);
  const { counts } = pools;
  const came = counts.out + counts.refused + counts.held;
  verdicts.check(
    `${firings} firings of pools = ${counts.out} out + ${counts.refused} refused + ${counts.held} held + ${missed.whileDown} missed while the service was down; ${counts.queued} items are left in their queues`,
    firings === came + missed.whileDown && missed.otherwise === 0,
    [...pools.wrong, ...(missed.otherwise > 0 ? [`${missed.otherwise} missed otherwise`] : [])],
  );
}

interface Missed {
  whileDown: number;
  otherwise: number;
}

/** Slots that came while the service was killed, and that it found too late. */
async function readMissed({ service, downs }: Month): Promise<Missed> {
  const rows = await service.sql("SELECT fire_at FROM pool_firings WHERE reason = ?", MISSED);
  const isWhileDown = (at: number) => downs.some(({ from, to }) => at >= from && at <= to);
  const whileDown = rows.filter(({ fire_at }) => isWhileDown(Number(fire_at))).length;
  return { whileDown, otherwise: rows.length - whileDown };
}

/** Gives each post at a platform the time at which the database says that it was published. */
async function withTimes(service: Service, arrivals: readonly Arrival[]): Promise<Arrival[]> {
  const rows = await service.sql(
    "SELECT coalesce(description, title) AS text, uploaded_at FROM uploads WHERE uploaded_at IS NOT NULL",
  );
  const times = new Map(rows.map((row) => [postOf(String(row.text)), Number(row.uploaded_at)]));
  return arrivals.map((arrival) => ({
    ...arrival,
    at: times.get(postOf(arrival.text)) ?? arrival.at,
  }));
}

/** Each event that a webhook wants was delivered, or its endpoint is dead and the feed has it. */
function judgeEvents(verdicts: Verdicts, { events, teams, receiver, restored }: Month): void {
  const endpoints = new Map(teams.map(({ number, endpoint }) => [number, endpoint]));
  const wanted = events.filter(({ teamId, name }) => endpoints.get(teamId) && isOutcome({ name }));
  const isDead = ({ teamId }: { teamId: number }) =>
    endpoints.get(teamId)?.startsWith("redirecting") === true;
  const delivered = new Set(receiver.taken.map(({ eventId }) => eventId));
  const missing = wanted.filter((event) => !isDead(event) && !delivered.has(event.id));
  // A restore forgets deliveries that were waiting: the feed has their events.
  const forgotten = missing.filter(({ id }) => restored !== null && id < restored.firstNewEvent);
  const known = new Set(events.map(({ id }) => id));
  const unknown = [...delivered].filter((id) => !known.has(id)).length;
  const times = receiver.taken.length;
  const toDead = wanted.filter(isDead).length;
  const live = wanted.length - toDead;
  verdicts.check(
    `${wanted.length} events for webhooks = ${live - missing.length} delivered + ${toDead} for dead endpoints, in the feed + ${forgotten.length} waiting at the backup, in the feed; ${times} calls`,
    missing.length === forgotten.length,
    missing.map(({ id, teamId, name }) => `${id} ${name} of team ${teamId}`),
  );
  console.log(
    `           ${unknown} events more were delivered, which only the lost database knew`,
  );
}

async function judgeClicks(verdicts: Verdicts, month: Month): Promise<void> {
  const { service, visitors, restored } = month;
  const clicks = await clicksIn(service);
  const lost = visitors.visits.filter(
    (at) => restored !== null && at >= restored.backedUpAt && at < restored.at,
  ).length;
  const { length: visits } = visitors.visits;
  verdicts.check(
    `${visits} visits = ${clicks} clicks + ${lost} between the backup and the loss; ${visitors.wrongAnswers} wrong answers`,
    visits === clicks + lost && visitors.wrongAnswers === 0,
  );
}

async function judgeLogins(verdicts: Verdicts, service: Service): Promise<void> {
  const rows = await service.sql(
    "SELECT status, count(*) AS n FROM accounts WHERE deleted_at IS NULL GROUP BY status",
  );
  const counts = Object.fromEntries(rows.map(({ status, n }) => [String(status), Number(n)]));
  const total = Object.values(counts).reduce((sum, n) => sum + n, 0);
  printCounts("accounts", counts);
  verdicts.check(
    "logins: what ended was told, and everything else was renewed",
    (counts.active ?? 0) >= total * (1 - MAX_REFUSED),
  );
}

async function judgeFigures(verdicts: Verdicts, service: Service, days: number): Promise<void> {
  const [row] = await service.sql(
    `SELECT count(*) AS accounts, sum(json_array_length(series, '$.days')) AS days,
      sum(json_array_length(series, '$.days') < ?) AS short FROM analytics`,
    days - MISSING_NIGHTS,
  );
  const { accounts, days: nights, short } = row ?? {};
  verdicts.check(
    `nightly figures: ${nights} days of ${accounts} accounts; ${short} accounts lack more than ${MISSING_NIGHTS}`,
    Number(accounts) > 0 && Number(short) <= Number(accounts) * MAX_REFUSED,
  );
}
