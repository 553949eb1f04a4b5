import type { Bill } from "./doors.ts";

/** A month's use that the paid plan includes, and the price in US$ of a million more. */
interface Price {
  what: keyof Bill;
  words: string;
  included: number;
  perMillion: number;
  source: string;
}

const WORKERS = "https://developers.cloudflare.com/workers/platform/pricing/";
const D1 = "https://developers.cloudflare.com/d1/platform/pricing/";
const QUEUES = "https://developers.cloudflare.com/queues/platform/pricing/";
const R2 = "https://developers.cloudflare.com/r2/pricing/";

/** A message is written, read and deleted: three operations. */
const OPERATIONS_PER_MESSAGE = 3;
const PLAN = 5;

const PRICES: Price[] = [
  {
    what: "requests",
    words: "requests and ticks",
    included: 10e6,
    perMillion: 0.3,
    source: WORKERS,
  },
  { what: "rowsRead", words: "rows read", included: 25e9, perMillion: 0.001, source: D1 },
  { what: "rowsWritten", words: "rows written", included: 50e6, perMillion: 1, source: D1 },
  {
    what: "messages",
    words: "messages",
    included: 1e6 / OPERATIONS_PER_MESSAGE,
    perMillion: 0.4 * OPERATIONS_PER_MESSAGE,
    source: QUEUES,
  },
  {
    what: "objectWrites",
    words: "writes and lists of R2",
    included: 1e6,
    perMillion: 4.5,
    source: R2,
  },
  { what: "objectReads", words: "reads of R2", included: 10e6, perMillion: 0.36, source: R2 },
];

export function printBill(
  bill: Bill,
  { posts, accountNights }: { posts: number; accountNights: number },
) {
  console.log(`  the bill, ${bill.roundTrips} round trips to the database`);
  let total = PLAN;
  for (const { what, words, included, perMillion, source } of PRICES) {
    const beyond = Math.max(0, bill[what] - included);
    const dollars = (beyond / 1e6) * perMillion;
    total += dollars;
    const each = (bill[what] / posts).toFixed(1);
    const amount = bill[what].toLocaleString("en-US").padStart(14);
    console.log(
      `    ${amount} ${words.padEnd(24)} ${each.padStart(7)} a post   $${dollars.toFixed(2)} beyond the plan (${source})`,
    );
  }
  console.log(
    `    $${total.toFixed(2)} with the plan's $${PLAN}, for ${posts} posts and ${accountNights} accounts a night`,
  );
}
