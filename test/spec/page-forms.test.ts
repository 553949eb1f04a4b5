import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { harnessWith, joinTeam, START } from "../support/harness.ts";
import { measure } from "../support/meter.ts";
import {
  OPEN_PAGES,
  PAGE_PERMISSIONS,
  type PagePermission,
  type PageSent,
} from "../support/page-permission-table.ts";
import { isAtLeast } from "../support/permission-principals.ts";
import { effectsOf } from "../support/permission-rows.ts";
import { type Holder, PlantedTeam } from "../support/permission-team.ts";
import { Browser, formsOf } from "../support/person.ts";
import { photo } from "../support/stage.ts";

const harness = harnessWith({
  appKeys: { instagram: { clientId: "id", clientSecret: "secret" } },
});
const ORIGIN = "https://akimbo.test";

const table = Object.entries(PAGE_PERMISSIONS);
const ofMethod = (method: string) => table.filter(([route]) => route.startsWith(`${method} `));

/** The pages of posts that failed, are published or await approval, which have other forms than that of a draft. */
const otherUploads = [
  { isFailed: true },
  { isPublished: true },
  { isPublished: true, isEditable: true },
  { status: "pending_approval" },
].map((options): [string, PagePermission] => [
  "GET /app/uploads/:id",
  {
    least: "MEMBER",
    send: async (team) => ({ params: { id: await team.upload(options) } }),
  },
]);

const pages = [...ofMethod("GET"), ...otherUploads];
const teamForms = ofMethod("POST").filter(([, { isPersonal }]) => !isPersonal);
const personalForms = ofMethod("POST").filter(([, { isPersonal }]) => isPersonal);
/** Routes of forms that name no team. */
const otherForms = [...personalForms.map(([route]) => route), ...OPEN_PAGES];

/** What a page's script sends, with the form of the page. */
const SENT_BY_SCRIPT = ["POST /app/compose/preview"];

/** The team of the pages, another that its owner belongs to, and one that they do not belong to. */
let home: PlantedTeam;
let second: PlantedTeam;
let foreign: PlantedTeam;

beforeAll(async () => {
  home = await PlantedTeam.make(harness);
  second = await PlantedTeam.make(harness);
  foreign = await PlantedTeam.make(harness);
  await home.plant();
  await joinTeam(second.teamId, home.owner.userId, "ADMIN");
  const browser = await new Browser(harness).signIn(home.owner);
  await browser.post("/app/settings/logo", { logo: photo() });
});

beforeEach(() => {
  vi.useFakeTimers({ now: START, toFake: ["Date"] });
});

const browserOf = async (holder: Holder) =>
  (await new Browser(harness).signIn(holder)).show(home.teamId);

const pathOf = (route: string, { params = {}, query = {} }: PageSent): string => {
  const path = route.replace(/^\w+ /, "").replace(/:(\w+)/g, (_, name) => params[name] ?? "");
  return `${path}?${new URLSearchParams(query)}`;
};

/** Returns true where a form with this path is sent to the route. */
const leadsTo = (path: string, route: string): boolean =>
  new RegExp(`^POST ${path.replace(/[^/]+/g, "(?:$&|:\\w+)")}$`).test(route);

test("every form of a team's page names the team, and each form is on a page", async () => {
  const seen = new Set<string>();
  const wrong: string[] = [];
  for (const role of ["MEMBER", "ADMIN", "OWNER"] as const) {
    const holder = role === "OWNER" ? home.owner : await home.join(role);
    const browser = await browserOf(holder);
    for (const [route, { least, send, isInstances }] of pages) {
      // The first person of an instance owns it: here the owner of the team.
      if (!isAtLeast(role, isInstances ? "OWNER" : least)) continue;
      const page = await browser.get(pathOf(route, await send(home, holder)));
      expect([route, page.status]).toEqual([route, 200]);
      for (const action of formsOf(page.html)) {
        const { pathname, searchParams } = new URL(action, ORIGIN);
        const other = otherForms.find((one) => leadsTo(pathname, one));
        const target = other ?? teamForms.find(([one]) => leadsTo(pathname, one))?.[0];
        if (target) seen.add(target);
        const named = searchParams.get("team");
        const expected = other ? null : String(home.teamId);
        if (!target || named !== expected) wrong.push(`${role}, ${route}: ${action}`);
      }
    }
  }
  expect(wrong).toEqual([]);
  const onPages = teamForms.map(([route]) => route).filter((one) => !SENT_BY_SCRIPT.includes(one));
  expect([...seen]).toEqual(expect.arrayContaining(onPages));
});

test.each(teamForms)("%s changes nothing but in the team of its page", async (route, { send }) => {
  const browser = await browserOf(home.owner);
  const sent = await send(home, home.owner);
  const named: [string | null, number][] = [
    [null, 400],
    ["", 400],
    ["0", 400],
    [`${home.teamId}x`, 400],
    [String(second.teamId), 409],
    [String(foreign.teamId), 403],
    ["999999999", 403],
  ];
  for (const [team, status] of named) {
    const query = { ...sent.query, ...(team === null ? {} : { team }) };
    const send = () => browser.sendForm(pathOf(route, { ...sent, query }), sent.fields);
    const { result: page, costs } = await measure(harness, send);
    expect([team, page.status, effectsOf(costs)]).toEqual([team, status, []]);
    expect(page.html).toContain("nothing was changed");
    expect(page.html).not.toContain(foreign.name);
  }
});
