import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { Scope } from "../../src/core/scopes.ts";
import { type Answer, createToken, Harness, START } from "../support/harness.ts";
import { measure } from "../support/meter.ts";
import { callAs, permissionsOf } from "../support/permission-call.ts";
import {
  createPrincipals,
  isAtLeast,
  isRole,
  type Principal,
  type Standing,
} from "../support/permission-principals.ts";
import {
  changedTables,
  effectsOf,
  protectedEffect,
  readTables,
} from "../support/permission-rows.ts";
import { PERMISSIONS, type Permission, type Sent } from "../support/permission-table.ts";
import { type Holder, PlantedTeam, SHOWN_KINDS } from "../support/permission-team.ts";
import { fetchDocument, type Operation, operationsOf, resolve } from "./document.ts";

const harness = new Harness();
const { body: document } = await fetchDocument(harness);
const operations = operationsOf(document);

interface Schema {
  $ref?: string;
  properties?: object;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

/** One operation, called in one of its ways. */
interface Case {
  operation: Operation;
  permission: Permission;
}

const cases = operations.flatMap((operation): [string, Case][] => {
  const { operationId } = operation.spec;
  return permissionsOf(operation).map((permission) => [
    [operationId, permission.as].filter(Boolean).join(" "),
    { operation, permission },
  ]);
});

function expectedOf({ standing }: Principal, { operation, permission }: Case): string {
  if (standing === "unknown") return "401 UNAUTHORIZED";
  if (standing === "outsider") return "403 FORBIDDEN";
  if (standing === "lacking") return `403 INSUFFICIENT_SCOPE ${operation.scope}`;
  if (!isRole(standing)) {
    const usual = operation.called.includes("{") ? "404 NOT_FOUND" : "200";
    const { stranger = usual, elsewhere = stranger } = permission;
    return standing === "stranger" ? stranger : elsewhere;
  }
  return isAtLeast(standing, permission.least) ? "200" : "403 FORBIDDEN";
}

const toldOf = ({ status, body }: Answer): string =>
  [status, body?.code, body?.requiredScope].filter(Boolean).join(" ");

let home: PlantedTeam;
let other: PlantedTeam;
let principals: Principal[];

beforeAll(async () => {
  home = await PlantedTeam.make(harness);
  other = await PlantedTeam.make(harness);
  const scopes = new Set(operations.map(({ scope }) => scope as Scope));
  principals = await createPrincipals(home, other, [...scopes]);
  for (const team of [home, other]) await team.plant();
});

beforeEach(() => {
  vi.useFakeTimers({ now: START, toFake: ["Date"] });
});

let answers = 0;
const leaks: string[] = [];
const shownKinds = new Set<string>();

afterAll(() => {
  console.log(
    `Permissions: ${cases.length} calls to ${operations.length} operations x ${principals.length} principals = ${answers} answers, ${leaks.length} leaks.`,
  );
});

/** Notes each text of a team that an answer shows to somebody outside it. */
function noteLeaks(call: string, standing: Standing, { body }: Answer): void {
  const text = JSON.stringify(body);
  const isInside = isRole(standing);
  if (isInside) for (const kind of home.shownIn(text)) shownKinds.add(kind);
  const leak = (isInside ? other : home).foundIn(text);
  if (leak) leaks.push(`${call}: ${leak}`);
}

test("every operation has its permissions, and they are of operations that exist", () => {
  const ids = operations.map(({ spec }) => spec.operationId);
  const missing = ids.filter((id) => !(id in PERMISSIONS));
  expect(missing, "Add to PERMISSIONS in test/support/permission-table.ts").toEqual([]);
  const unknown = Object.keys(PERMISSIONS).filter((id) => !ids.includes(id));
  expect(unknown, "Remove from PERMISSIONS in test/support/permission-table.ts").toEqual([]);
});

/**
 * Calls as a principal. The answer, and the effects that it must not have: a refused call has none, any
 * other none on the rows of a team that the caller does not act for; `mayPass` has those read before.
 */
async function callAndWatch(
  principal: Principal,
  operation: Operation,
  holder: Holder,
  sent: Sent,
  mayPass: boolean,
) {
  const { standing } = principal;
  const untouched = isRole(standing) ? other : home;
  const mayWrite = operation.method !== "GET";
  const before = mayWrite && mayPass ? await readTables(untouched) : {};
  const call = () => callAs(harness, holder, operation, sent);
  const { result: answer, costs } = await measure(harness, call);
  const isRefused = answer.status >= 400;
  const effects = isRefused || !mayWrite ? effectsOf(costs) : [];
  const changed = mayWrite && !isRefused ? changedTables(before, await readTables(untouched)) : [];
  const told = [toldOf(answer), ...effects, ...changed.map((table) => `changes ${table}`)];
  return { answer, told: told.join(", ") };
}

test.each(cases)("%s answers each principal as scope, team and role allow", async (name, one) => {
  const { operation, permission } = one;
  const scope = operation.scope as Scope;
  const standingCall = await permission.call(home, home.owner);
  const found: Record<string, string> = {};
  for (const principal of principals) {
    const { standing } = principal;
    const mayCall = isRole(standing) && isAtLeast(standing, permission.least);
    const team = permission.endsTeam && mayCall ? await PlantedTeam.make(harness) : home;
    const holder = team === home ? principal.enter(scope) : team.owner;
    const sent = mayCall ? await permission.call(team, holder) : standingCall;
    const mayPass = expectedOf(principal, one).startsWith("200");
    const { answer, told } = await callAndWatch(principal, operation, holder, sent, mayPass);
    answers++;
    noteLeaks(`${name}, ${principal.name}`, standing, answer);
    found[principal.name] = told;
  }
  expect(found).toEqual(
    Object.fromEntries(principals.map((principal) => [principal.name, expectedOf(principal, one)])),
  );
});

test("no answer shows a text of another team, and the owner's answers show each of their own", () => {
  expect(leaks).toEqual([]);
  expect([...shownKinds].sort()).toEqual([...SHOWN_KINDS].sort());
});

const partings = [
  ["switched off", "PATCH", { isActive: false }],
  ["removed", "DELETE", undefined],
] as const;

test.each(partings)(
  "a member's tokens are refused at the next call once they are %s",
  async (...parting) => {
    const [, method, json] = parting;
    const { userId, token, headers } = await home.join("ADMIN");
    const pinned = await createToken(userId, { teamId: home.teamId });
    const ask = async () => [
      toldOf(await harness.call("GET", "/accounts", { token, headers })),
      toldOf(await harness.call("GET", "/accounts", { token: pinned })),
    ];
    expect(await ask()).toEqual(["200", "200"]);
    const path = `/teams/members/${userId}`;
    const parted = await harness.call(method, path, { ...home.owner, json });
    expect(parted.status).toBe(200);
    expect(await ask()).toEqual(["403 FORBIDDEN", "401 UNAUTHORIZED"]);
  },
);

/** Names of the fields that an operation takes in its body. */
function bodyFields({ spec }: Operation): string[] {
  const fieldsOf = (schema: Schema): string[] => {
    const { $ref, properties = {}, anyOf = [], oneOf = [], allOf = [] } = schema;
    const parts = [...anyOf, ...oneOf, ...allOf].flatMap(fieldsOf);
    return [
      ...($ref ? fieldsOf(resolve(document, $ref)) : []),
      ...Object.keys(properties),
      ...parts,
    ];
  };
  const content: Record<string, { schema: Schema }> = spec.requestBody?.content ?? {};
  return Object.values(content).flatMap(({ schema }) => fieldsOf(schema));
}

describe("fields that are not the caller's to set", () => {
  const writable = cases.filter(([, { operation }]) => bodyFields(operation).length > 0);

  /** The call of the team's owner with more fields. */
  function withExtras(sent: Sent, extras: Record<string, unknown>): Sent {
    const { json, form } = sent;
    const texts = Object.entries(extras).map(([name, value]) => [name, String(value)]);
    return {
      ...sent,
      ...(json ? { json: { ...json, ...extras } } : {}),
      ...(form ? { form: { ...form, ...Object.fromEntries(texts) } } : {}),
    };
  }

  /** Sends a new call with more fields. The answer's status, and what the call set in protected columns. */
  async function send({ operation, permission }: Case, extras: Record<string, unknown>) {
    const team = permission.endsTeam ? await PlantedTeam.make(harness) : home;
    const sent = withExtras(await permission.call(team, team.owner), extras);
    const before = await readTables();
    const { status } = await callAs(harness, team.owner, operation, sent);
    await harness.settle();
    return { status, effect: await protectedEffect(before, await readTables()) };
  }

  test.each(writable)("are refused or ignored by %s", async (_, one) => {
    const { operation, permission } = one;
    const known = bodyFields(operation);
    const extras = Object.entries({
      userId: other.owner.userId,
      ownerId: other.owner.userId,
      createdBy: other.owner.userId,
      teamId: other.teamId,
      team_id: other.teamId,
      status: "completed",
      credits: 1_000_000,
      role: "OWNER",
      verified: true,
      plan: "scale",
      id: "1",
      failureCount: 0,
      deletedAt: null,
      uploadedAt: "2020-01-01T00:00:00Z",
      attempt: 9,
      fence: 9,
      metadata: '{"videoId":"x"}',
      approvedHash: "x",
      xCredits: 1,
    }).filter(([name]) => !known.includes(name));
    const usual = await send(one, {});
    expect(usual.status).toBe(200);
    const together = await send(one, Object.fromEntries(extras));
    if (together.status !== 400) {
      expect(together).toEqual(usual);
      return;
    }
    expect(together.effect).toEqual({});
    const sent = await permission.call(home, home.owner);
    for (const [name, value] of extras) {
      const call = () =>
        callAs(harness, home.owner, operation, withExtras(sent, { [name]: value }));
      const { result, costs } = await measure(harness, call);
      expect([name, result.status, effectsOf(costs)]).toEqual([name, 400, []]);
    }
  });
});
