import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { createPages } from "../../src/doors/pages.ts";
import { callTool, send } from "../support/agent.ts";
import { Harness, harnessWith, START } from "../support/harness.ts";
import { measure } from "../support/meter.ts";
import { PAGE_PERMISSIONS, type PageSent } from "../support/page-permission-table.ts";
import { callAs, permissionsOf } from "../support/permission-call.ts";
import { changedTables, readTables } from "../support/permission-rows.ts";
import { PlantedTeam } from "../support/permission-team.ts";
import { Browser } from "../support/person.ts";
import { fetchDocument, operationsOf } from "./document.ts";

const POST = "a new post stands in its own timeline";
const FILES = "the files of a post to come";
const DRAFT = "a draft is private working state";
const OWN = "it changes what is the person's own, and nothing of the team";
const REHEARSAL = "rehearsals are kept as such";
const FIGURES = "figures are read, and nothing of the team changes";
const ATTEMPT = "it stands among the attempts of the webhook";
const ERASED = "the lines of the team are erased with it";
const UNCHANGED = "the planted one is so already, and nothing changes";
const QUESTION = "it answers a question and changes nothing";

/** Operations that write no line, each with its reason. */
const WITHOUT_LINE: Record<string, string> = {
  createUpload: POST,
  createUploads: POST,
  presignFiles: FILES,
  validateUploads: QUESTION,
  importUploads: POST,
  createDraft: DRAFT,
  saveDraft: DRAFT,
  deleteDraft: DRAFT,
  startRehearsal: REHEARSAL,
  stepRehearsal: REHEARSAL,
  forgetRehearsal: REHEARSAL,
  syncAccountAnalytics: FIGURES,
  testWebhook: ATTEMPT,
  replayDelivery: ATTEMPT,
  replayFailed: ATTEMPT,
  deleteTeam: ERASED,
  subscribePush: OWN,
  unsubscribePush: OWN,
  retryFailedUploads: UNCHANGED,
  updateWebhook: UNCHANGED,
  verifyDomain: UNCHANGED,
  movePoolItem: UNCHANGED,
  "changeSettings of one's own": OWN,
  "changeSettings one's own chat": OWN,
};

/** Forms that write no line, each with its reason; personal ones are of no team. */
const FORMS_WITHOUT_LINE: Record<string, string> = {
  "POST /app/compose": DRAFT,
  "POST /app/import": POST,
  "POST /app/settings/quiet-hours": OWN,
  "POST /app/compose/preview": FILES,
  "POST /app/compose/drafts/:id/delete": DRAFT,
  "POST /app/accounts/connect": "the line comes when the platform sends the person back",
  "POST /app/accounts/:id/reconnect": "the line comes when the platform sends the person back",
  "POST /app/webhooks/:id/test": ATTEMPT,
  "POST /app/webhooks/:id/replay-failed": ATTEMPT,
  "POST /app/webhooks/:id/attempts/:attempt/replay": ATTEMPT,
  "POST /app/short-links/domains/:id/check": UNCHANGED,
  "POST /app/pools/:id/items/:itemId/move": UNCHANGED,
  "POST /app/settings/notifications": OWN,
  "POST /app/settings/push": OWN,
  "POST /app/settings/push/:id/remove": OWN,
  "POST /app/settings/delete": ERASED,
};

const harness = new Harness();
const pagesHarness = harnessWith({});
const operations = operationsOf((await fetchDocument(harness)).body).filter(
  ({ method }) => method !== "GET",
);
const calls = operations.flatMap((operation) =>
  permissionsOf(operation).map((permission) => {
    const name = [operation.spec.operationId, permission.as].filter(Boolean).join(" ");
    return [name, { operation, permission }] as const;
  }),
);
const forms = [
  ...new Set(
    createPages(() => pagesHarness.deps).routes.map(({ method, path }) => `${method} ${path}`),
  ),
].filter(
  (route) =>
    /^POST \/app\//.test(route) && PAGE_PERMISSIONS[route] && !PAGE_PERMISSIONS[route].isPersonal,
);

let home: PlantedTeam;

beforeAll(async () => {
  home = await PlantedTeam.make(harness);
  await home.plant();
});

beforeEach(() => {
  vi.useFakeTimers({ now: START, toFake: ["Date"] });
});

interface Line {
  team_id: number;
  id: string;
  actor_kind: string;
  actor_name: string;
  action: string;
}

async function linesOf(): Promise<Line[]> {
  const { results } = await env.DB.prepare("SELECT * FROM activity").all<Line>();
  return results;
}

/** The lines that some work adds. Each costs one row. */
async function linesAddedBy(work: () => Promise<unknown>): Promise<Line[]> {
  const ids = new Set((await linesOf()).map(({ id }) => id));
  const { costs } = await measure(harness, work);
  const lines = (await linesOf()).filter(({ id }) => !ids.has(id));
  const inserts = costs.roundTrips.flat().filter(({ sql }) => /INTO activity\b/.test(sql));
  expect(inserts.reduce((rows, { rowsWritten }) => rows + rowsWritten, 0)).toBe(lines.length);
  return lines;
}

/** @throws AssertionError unless the work adds one line, or for this reason none */
async function requireLine(
  { teamId }: PlantedTeam,
  actor: string,
  reason: string | undefined,
  work: () => Promise<unknown>,
): Promise<void> {
  const before = reason === UNCHANGED || reason === QUESTION ? await readTables() : null;
  const lines = await linesAddedBy(work);
  expect(lines, reason ?? "see features/activity/actions.ts").toHaveLength(reason ? 0 : 1);
  for (const line of lines) {
    expect(line).toMatchObject({ team_id: teamId, actor_kind: actor });
    expect(line.actor_name).not.toBe("");
  }
  if (before) expect(changedTables(before, await readTables())).toEqual([]);
}

test.each(calls)("%s writes one line", async (name, { operation, permission }) => {
  const team = permission.endsTeam ? await PlantedTeam.make(harness) : home;
  const sent = await permission.call(team, team.owner);
  await requireLine(team, "token", WITHOUT_LINE[name], async () => {
    expect((await callAs(harness, team.owner, operation, sent)).status).toBe(200);
  });
});

const addressOf = (route: string, { params = {}, query }: PageSent): string => {
  const path = route.replace("POST ", "").replace(/:(\w+)/g, (_, name) => params[name] ?? "");
  return query ? `${path}?${new URLSearchParams(query)}` : path;
};

test.each(forms)("%s writes one line", async (route) => {
  const permission = PAGE_PERMISSIONS[route];
  if (!permission) throw new Error(route);
  const team = permission.endsTeam ? await PlantedTeam.make(harness) : home;
  const sent = await permission.send(team, team.owner);
  const browser = await new Browser(harness).signIn(team.owner);
  await requireLine(team, "person", FORMS_WITHOUT_LINE[route], async () => {
    expect((await browser.post(addressOf(route, sent), sent.fields)).status).toBeLessThan(400);
  });
});

const TOOLS: Record<string, (team: PlantedTeam) => Promise<Record<string, unknown>>> = {
  create_post: async (team) => ({ accountIds: [await team.account()], text: "By an agent" }),
  update_post: async (team) => ({ postId: Number(await team.upload()), description: "Anew" }),
  unpublish_post: async (team) => ({ postId: Number(await team.upload({ isPublished: true })) }),
  create_review_link: async (team) => ({ postIds: [Number(await team.upload())] }),
};

/** Tools that write no line, each with its reason. */
const TOOLS_WITHOUT_LINE: Record<string, string> = { create_post: POST };

test.each(Object.entries(TOOLS))("%s writes one line of an agent", async (name, argumentsOf) => {
  const args = await argumentsOf(home);
  await requireLine(home, "agent", TOOLS_WITHOUT_LINE[name], async () => {
    const result = await callTool(harness, home.owner.token, name, args);
    expect(result.isError, JSON.stringify(result)).toBeFalsy();
  });
});

test("every tool that changes something is called", async () => {
  const { body } = await send(harness, "tools/list", {}, { token: home.owner.token });
  const tools: { name: string; annotations: { readOnlyHint: boolean } }[] = body.result.tools;
  const changing = tools.filter(({ annotations }) => !annotations.readOnlyHint);
  expect(Object.keys(TOOLS).toSorted()).toEqual(changing.map(({ name }) => name).toSorted());
});

test("every exception names an operation or a form that exists", () => {
  const names = new Set(calls.map(([name]) => name));
  expect(Object.keys(WITHOUT_LINE).filter((name) => !names.has(name))).toEqual([]);
  expect(Object.keys(FORMS_WITHOUT_LINE).filter((name) => !forms.includes(name))).toEqual([]);
});
