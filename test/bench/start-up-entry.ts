import { roundsAt } from "../../src/cron/rounds.ts";
import { agentCall } from "./agent-call.ts";

/** The first request to a fresh Worker, by the path under which `ENTRY` is called. */
export const DOORS = {
  "/imported": { what: "import alone", maxMs: 30 },
  "/s/abc": { what: "a redirect", maxMs: 10 },
  "/health": { what: "GET /health", maxMs: null },
  "/api/v1/upload": { what: "GET /api/v1/upload, the first call of the API", maxMs: 80 },
  "/agent/tools/list": { what: "POST /mcp, tools/list", maxMs: null },
  "/agent/tools/call": { what: "POST /mcp, tools/call of list_accounts", maxMs: null },
  "/queued": { what: "a queue message", maxMs: 30 },
  "/ticked": { what: "a cron tick", maxMs: 30 },
} as const;

/** A token as every call presents it. */
export const TOKEN = `kmb_${"a".repeat(64)}`;

/**
 * Stands before the Worker, lends it bindings that answer at once, and hands it a message or a tick where
 * the path says so. The database knows a token and holds nothing else, every chore of today done.
 */
export const ENTRY = `
import worker from "./worker.js";

// To print a line the local runtime loads Node's inspector, which is not what is measured here.
for (const level of ["info", "log", "warn", "error"]) console[level] = () => {};

const token = {
  ...{ id: 1, name: "Bench", user_id: 1, scopes: '["*"]', pinned: null, team: 1, role: "OWNER" },
  ...{ last_used_at: Date.now(), agent_used_at: Date.now(), needs_approval: 0 },
};
const link = {
  ...{ id: 1, destination: "https://example.com/", use_deeplink: 0, bot_protection: 0, safe_url: null },
  ...{ title: null, description: null, image_url: null, rules: "[]", short_hosts: "[]" },
};
const rowsOf = (sql) => {
  if (/short_links l/.test(sql)) return [link];
  if (/AS pinned/.test(sql)) return [token];
  if (/from "?chores/i.test(sql)) return [{ day: ${JSON.stringify(roundsAt(new Date()))} }];
  return [];
};
const answer = ({ sql }) => ({ success: true, results: rowsOf(sql), meta: { changes: 0 } });
const statement = (sql) => ({ sql, bind: () => statement(sql), run: async () => answer({ sql }) });
const objects = (one) => ({ getByName: () => one });
const bindings = {
  DB: { prepare: statement, batch: async (statements) => statements.map(answer) },
  MEDIA: { head: async () => null },
  PUBLISH: { send: async () => {}, sendBatch: async () => {} },
  WEBHOOKS: { send: async () => {}, sendBatch: async () => {} },
  HEARTBEAT: objects({ beat: async () => {}, pulse: async () => ({}) }),
  DELIVERY_GATE: objects({ take: async () => [], giveBack: async () => {} }),
};
const message = { id: "1", body: { kind: "publish", uploadId: 1 }, attempts: 1, ack() {}, retry() {} };

const agentCalls = {
  "/agent/tools/list": ${JSON.stringify(agentCall("tools/list", TOKEN))},
  "/agent/tools/call": ${JSON.stringify(agentCall("tools/call", TOKEN))},
};

export default {
  async fetch(request, env, execution) {
    const lent = { ...env, ...bindings };
    const { pathname } = new URL(request.url);
    if (pathname in agentCalls) {
      const { path, ...call } = agentCalls[pathname];
      return worker.fetch(new Request(new URL(path, request.url), call), lent, execution);
    }
    switch (pathname) {
      case "/imported":
        return new Response("");
      case "/queued":
        await worker.queue({ queue: "akimbo-publish", messages: [message] }, lent, execution);
        return new Response("");
      case "/ticked":
        await worker.scheduled({}, lent, execution);
        return new Response("");
      default:
        return worker.fetch(request, lent, execution);
    }
  },
};
`;
