import { Hono } from "hono";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { Role } from "../../src/deps.ts";
import { createPages } from "../../src/doors/pages.ts";
import type { PageEnv } from "../../src/features/auth/signed-in.ts";
import { harnessWith, START } from "../support/harness.ts";
import { measure } from "../support/meter.ts";
import { OPEN_PAGES, PAGE_PERMISSIONS, type PageSent } from "../support/page-permission-table.ts";
import { isAtLeast, switchOff } from "../support/permission-principals.ts";
import { changedTables, effectsOf, readTables } from "../support/permission-rows.ts";
import { type Holder, PlantedTeam } from "../support/permission-team.ts";
import { Browser, type Page } from "../support/person.ts";

const harness = harnessWith({
  appKeys: { instagram: { clientId: "id", clientSecret: "secret" } },
});

/** Every page of the door, and every form: `GET /app/uploads/:id`. */
const routes = [
  ...new Set(
    createPages(() => harness.deps)
      .routes.filter(({ method }) => method !== "ALL")
      .map(({ method, path }) => `${method} ${path}`),
  ),
];
const closed = Object.entries(PAGE_PERMISSIONS);

/**
 * Somebody with a browser. A stranger sees their own team, an intruder asks for this one. The operator is the
 * owner of the instance, and a stranger in every other way.
 */
interface Visitor {
  name: string;
  standing: "signed out" | "stranger" | "operator" | "intruder" | Role;
  holder: Holder;
  enter(): Promise<Browser> | Browser;
}

let home: PlantedTeam;
let other: PlantedTeam;
let visitors: Visitor[];

beforeAll(async () => {
  // The first person of an instance owns it.
  const first = await PlantedTeam.make(harness);
  home = await PlantedTeam.make(harness);
  other = await PlantedTeam.make(harness);
  for (const team of [home, other]) await team.plant();
  const inactive = await home.join("ADMIN", { isNamed: false });
  await switchOff(inactive, home);
  const [admin, member] = [await home.join("ADMIN"), await home.join("MEMBER")];
  const browser = () => new Browser(harness);
  const showing =
    ({ userId }: Holder, { teamId }: PlantedTeam) =>
    async () =>
      (await browser().signIn({ userId })).show(teamId);
  const { owner } = home;
  const stranger = other.owner;
  visitors = [
    { name: "nobody", standing: "signed out", holder: owner, enter: browser },
    {
      name: "a forged cookie",
      standing: "signed out",
      holder: owner,
      enter: () => browser().forgeSession(),
    },
    {
      name: "another team's OWNER",
      standing: "stranger",
      holder: stranger,
      enter: showing(stranger, other),
    },
    {
      name: "the owner of the instance",
      standing: "operator",
      holder: first.owner,
      enter: showing(first.owner, first),
    },
    {
      name: "another team's OWNER who asks for this team",
      standing: "intruder",
      holder: stranger,
      enter: showing(stranger, home),
    },
    {
      name: "switched off",
      standing: "intruder",
      holder: inactive,
      enter: showing(inactive, home),
    },
    { name: "MEMBER", standing: "MEMBER", holder: member, enter: showing(member, home) },
    { name: "ADMIN", standing: "ADMIN", holder: admin, enter: showing(admin, home) },
    { name: "OWNER", standing: "OWNER", holder: owner, enter: showing(owner, home) },
  ];
});

beforeEach(() => {
  vi.useFakeTimers({ now: START, toFake: ["Date"] });
});

let answers = 0;
let leaks = 0;

afterAll(() => {
  console.log(
    `Pages: ${closed.length} x ${visitors.length} visitors = ${answers} answers, ${leaks} leaks.`,
  );
});

const addressOf = (route: string, { params = {}, query }: PageSent): string => {
  const path = route.replace(/^\w+ /, "").replace(/:(\w+)/g, (_, name) => params[name] ?? "");
  return query ? `${path}?${new URLSearchParams(query)}` : path;
};

const isForm = (route: string): boolean => route.startsWith("POST ");

const open = (browser: Browser, route: string, sent: PageSent): Promise<Page> =>
  isForm(route)
    ? browser.post(addressOf(route, sent), sent.fields)
    : browser.get(addressOf(route, sent));

/** Tells a page in a word: its address, where it leads to the sign-in, or its status. */
function toldOf({ status, location }: Page): string {
  if (status === 200 || (status === 303 && !location?.startsWith("/sign-in"))) return "done";
  return status === 303 ? `to ${location}` : String(status);
}

/** Does not belong to the team. */
const isOutside = (
  standing: Visitor["standing"],
): standing is "stranger" | "operator" | "intruder" =>
  standing === "stranger" || standing === "operator" || standing === "intruder";

function expectedOf({ standing }: Visitor, route: string, sent: PageSent): string {
  const { least, stranger, endsTeam, isPersonal, isInstances } = PAGE_PERMISSIONS[route] ?? {};
  if (standing === "signed out") {
    const next = `?next=${encodeURIComponent(addressOf(route, sent))}`;
    return `to /sign-in${isForm(route) ? "" : next}`;
  }
  if (isInstances) return standing === "operator" ? "done" : "403";
  if (standing === "intruder" && isForm(route) && !isPersonal) return "403";
  if (isOutside(standing)) {
    if (stranger) return String(stranger);
    return route.includes(":") ? "404" : "done";
  }
  if (least && !isAtLeast(standing, least)) return "403";
  return endsTeam ? "to /sign-in" : "done";
}

test("every page says who may open it, and every one that says so exists", () => {
  const told = [...Object.keys(PAGE_PERMISSIONS), ...OPEN_PAGES];
  const help = "Add to, or remove from, test/support/page-permission-table.ts";
  expect(told.sort(), help).toEqual(routes.sort());
});

test.each(closed)("%s is answered as session, team and role allow", async (route, permission) => {
  const { least, send, endsTeam } = permission;
  const standingSent = await send(home, home.owner);
  const found: Record<string, string> = {};
  const expected: Record<string, string> = {};
  const shown: string[] = [];
  for (const visitor of visitors) {
    const { name, standing } = visitor;
    const isInside = standing !== "signed out" && !isOutside(standing);
    const mayOpen = isInside && isAtLeast(standing, least);
    const team = endsTeam && mayOpen ? await PlantedTeam.make(harness) : home;
    const browser = await (team === home
      ? visitor.enter()
      : new Browser(harness).signIn(team.owner));
    const sent = mayOpen
      ? await send(team, team === home ? visitor.holder : team.owner)
      : standingSent;
    const untouched = isInside ? other : home;
    const before = await readTables(untouched);
    const { result: page, costs } = await measure(harness, () => open(browser, route, sent));
    answers++;
    const told = toldOf(page);
    expected[name] = expectedOf(visitor, route, sent);
    const mayHaveEffects = told === "done" || team !== home;
    const effects = mayHaveEffects ? [] : effectsOf(costs);
    const changed = changedTables(before, await readTables(untouched));
    found[name] = [told, ...effects, ...changed.map((table) => `changes ${table}`)].join(", ");
    const leak = (isInside ? other : home).foundIn(page.html + page.location);
    if (leak) shown.push(`${name}: ${leak}`);
  }
  leaks += shown.length;
  expect(shown).toEqual([]);
  expect(found).toEqual(expected);
});

test("a page that forgets to ask who is looking is shown to nobody", async () => {
  const forgetful = new Hono<PageEnv>();
  forgetful.get("/app/forgetful", (c) => c.html("This leaves to nobody unknown.", 200));
  forgetful.post("/app/forgetful", (c) => c.html("Done for anybody.", 200, { "X-Secret": "too" }));
  const app = createPages(() => harness.deps, [forgetful]);
  for (const method of ["GET", "POST"]) {
    const headers = { "sec-fetch-site": "same-origin" };
    const reply = await app.request("/app/forgetful", { method, headers });
    expect([method, reply.status]).toEqual([method, 500]);
    expect(reply.headers.get("x-secret")).toBeNull();
    expect(await reply.text()).not.toMatch(/nobody unknown|for anybody/);
  }
});

test.each(routes.filter(isForm))("%s is refused from another site (403)", async (route) => {
  const { send } = PAGE_PERMISSIONS[route] ?? {};
  const sent = (await send?.(home, home.owner)) ?? {};
  const browser = await new Browser(harness).signIn(home.owner);
  for (const site of ["cross-site", "same-site", "none"]) {
    const call = () =>
      browser.send(addressOf(route, sent), {
        method: "POST",
        headers: { "sec-fetch-site": site },
      });
    const { result: page, costs } = await measure(harness, call);
    expect([site, page.status, effectsOf(costs)]).toEqual([site, 403, []]);
  }
});
