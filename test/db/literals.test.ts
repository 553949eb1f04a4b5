import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { UPLOAD_STATUSES } from "../../src/core/upload-status.ts";
import { accounts } from "../../src/features/accounts/table.ts";
import { EVENTS } from "../../src/features/events/catalogue.ts";
import { BOT } from "../../src/features/links/evaluate.ts";
import { MAX_KEPT_A_MINUTE } from "../../src/features/links/statistics.ts";
import { isNoticed } from "../../src/features/notices/rules.ts";
import { notices, noticeTargets } from "../../src/features/notices/table.ts";
import { poolFirings, poolItems } from "../../src/features/pools/table.ts";
import { STAGES } from "../../src/features/rehearsal/rules.ts";
import { deliveries } from "../../src/features/webhooks/table.ts";

const EVENT_NAMES = Object.keys(EVENTS);

/** For each trigger and index: the lists whose values its SQL may name, and its other texts. */
const MEANINGS: Record<string, { lists: readonly (readonly string[])[]; texts?: string[] }> = {
  deliver_event: { lists: [deliveries.kind.enumValues], texts: ['"'] },
  notice_event: { lists: [EVENT_NAMES, notices.channel.enumValues], texts: ["uploadId"] },
  notice_webhook: { lists: [notices.channel.enumValues], texts: ["whk_"] },
  end_pool_item: {
    lists: [EVENT_NAMES, UPLOAD_STATUSES, poolItems.state.enumValues],
    texts: ["uploadId"],
  },
  count_clicks: { lists: [[BOT]], texts: ["", '$."', '"'] },
  accounts_by_data_access: { lists: [accounts.status.enumValues] },
  accounts_by_login_end: { lists: [accounts.status.enumValues] },
  accounts_by_renewal: { lists: [accounts.status.enumValues] },
  events_by_upload: { lists: [EVENT_NAMES], texts: ["uploadId"] },
  notice_targets_chat: { lists: [noticeTargets.channel.enumValues] },
  pool_firings_due: { lists: [poolFirings.outcome.enumValues] },
  return_pool_item: { lists: [poolItems.state.enumValues], texts: ["sha256"] },
  keep_draft_files: { lists: [], texts: ["mediaId", "thumbnailMediaId", "text"] },
  change_draft_files: { lists: [], texts: ["mediaId", "thumbnailMediaId", "text"] },
  rehearsals_open: { lists: [STAGES] },
  pool_items_once: { lists: [poolItems.state.enumValues] },
  pool_items_posting: { lists: [poolItems.state.enumValues] },
};

const statements = async () => {
  const { results } = await env.DB.prepare(
    "SELECT name, sql FROM sqlite_master WHERE type IN ('trigger', 'index') AND sql IS NOT NULL",
  ).all<{ name: string; sql: string }>();
  return new Map(results.map(({ name, sql }) => [name, sql]));
};

const textsOf = (sql: string): string[] =>
  [...sql.matchAll(/'([^']*)'/g)].map(([, text = ""]) => text);

test("every text in a trigger or an index is a value that the code knows", async () => {
  const withTexts = [...(await statements())].filter(([, sql]) => textsOf(sql).length > 0);
  expect(withTexts.map(([name]) => name).sort()).toEqual(Object.keys(MEANINGS).sort());
  for (const [name, sql] of withTexts) {
    const { lists, texts = [] } = MEANINGS[name] ?? { lists: [] };
    const allowed = new Set([...lists.flat(), ...texts]);
    expect([name, textsOf(sql).filter((text) => !allowed.has(text))]).toEqual([name, []]);
  }
});

const eventsOf = (sql = ""): string[] => {
  const [, list = ""] = /NEW\.name IN \(([^)]*)\)/.exec(sql) ?? [];
  return textsOf(list).sort();
};

test("the notices' trigger takes the events that the code has notices for", async () => {
  const trigger = eventsOf((await statements()).get("notice_event"));
  expect(trigger).toEqual(EVENT_NAMES.filter(isNoticed).sort());
});

test("a post ends its pool's item with each event that ends a post", async () => {
  const trigger = eventsOf((await statements()).get("end_pool_item"));
  expect(trigger).toEqual(["upload.cancelled", "upload.completed", "upload.failed"]);
});

test("clicks are kept singly up to the number in the code", async () => {
  const sql = (await statements()).get("count_clicks") ?? "";
  const numbers = [...sql.matchAll(/- (\d+)\)/g)].map(([, number]) => Number(number));
  expect(numbers.length).toBeGreaterThan(1);
  expect(new Set(numbers)).toEqual(new Set([MAX_KEPT_A_MINUTE]));
});
