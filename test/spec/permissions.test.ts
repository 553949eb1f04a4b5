import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { Scope } from "../../src/core/scopes.ts";
import { type Answer, form, Harness, START } from "../support/harness.ts";
import {
  createPrincipals,
  isAtLeast,
  isRole,
  type Principal,
  type Standing,
} from "../support/permission-principals.ts";
import { changedTables, protectedEffect, readTables, rowsOf } from "../support/permission-rows.ts";
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
  const listed = [PERMISSIONS[operationId] ?? []].flat();
  return listed.map((permission) => [
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

const told = ({ status, body }: Answer): string =>
  [status, body?.code, body?.requiredScope].filter(Boolean).join(" ");

function callAs({ token, headers }: Holder, { called, method }: Operation, sent: Sent) {
  const path = called.replace(/\{(\w+)\}/g, (_, name) => {
    const value = sent.params?.[name];
    if (value === undefined) throw new Error(`No {${name}} is given for ${method} ${called}.`);
    return value;
  });
  const query = sent.query ? `?${new URLSearchParams(sent.query)}` : "";
  const body = sent.form && form(sent.form);
  return harness.call(method, path + query, { token, headers, json: sent.json, body });
}

let home: PlantedTeam;
let other: PlantedTeam;
let principals: Principal[];

beforeAll(async () => {
  home = await PlantedTeam.make(harness);
  other = await PlantedTeam.make(harness);
  const scopes = new Set(operations.map(({ scope }) => scope as Scope));
  principals = await createPrincipals(home, other, [...scopes]);
  for (const team of [home, other]) {
    await team.upload();
    await team.token(team.owner);
  }
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
  if ((isInside ? other : home).isIn(text)) leaks.push(`${call}: ${text}`);
}

test("every operation has its permissions, and they are of operations that exist", () => {
  const ids = operations.map(({ spec }) => spec.operationId);
  const missing = ids.filter((id) => !(id in PERMISSIONS));
  expect(missing, "Add to PERMISSIONS in test/support/permission-table.ts").toEqual([]);
  const unknown = Object.keys(PERMISSIONS).filter((id) => !ids.includes(id));
  expect(unknown, "Remove from PERMISSIONS in test/support/permission-table.ts").toEqual([]);
});

/** Calls as a principal. The answer, with the tables that it changed where it must change nothing. */
async function callAndWatch(name: string, principal: Principal, one: Case, standingCall: Sent) {
  const { operation, permission } = one;
  const { standing } = principal;
  let holder = principal.enter(operation.scope as Scope);
  let sent = standingCall;
  if (isRole(standing) && expectedOf(principal, one) === "200") {
    const team = permission.endsTeam ? await PlantedTeam.make(harness) : home;
    if (permission.endsTeam) holder = team.owner;
    sent = await permission.call(team, holder);
  }
  const before = await readTables();
  const answer = await callAs(holder, operation, sent);
  await harness.settle();
  const after = await readTables();
  answers++;
  noteLeaks(`${name}, ${principal.name}`, standing, answer);
  const untouched = isRole(standing) ? other : home;
  const changed =
    answer.status < 400
      ? changedTables(rowsOf(untouched, before), rowsOf(untouched, after))
      : changedTables(before, after);
  return [told(answer), ...changed.map((table) => `changes ${table}`)].join(", ");
}

test.each(cases)("%s answers each principal as scope, team and role allow", async (name, one) => {
  const standingCall = await one.permission.call(home, home.owner);
  const found: Record<string, string> = {};
  for (const principal of principals) {
    found[principal.name] = await callAndWatch(name, principal, one, standingCall);
  }
  expect(found).toEqual(
    Object.fromEntries(principals.map((principal) => [principal.name, expectedOf(principal, one)])),
  );
});

test("no answer shows a text of another team, and the owner's answers show each of their own", () => {
  expect(leaks).toEqual([]);
  expect([...shownKinds].sort()).toEqual([...SHOWN_KINDS].sort());
});

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
  const writable = cases.filter(([, { operation }]) => operation.spec.requestBody);

  /** Sends a call with more fields; what it set in protected columns, and how it was answered. */
  async function send(
    { operation, permission }: Case,
    extras: Record<string, unknown>,
    call?: Sent,
  ) {
    const team = permission.endsTeam ? await PlantedTeam.make(harness) : home;
    const sent = call ?? (await permission.call(team, team.owner));
    const { json, form } = sent;
    const texts = Object.entries(extras).map(([name, value]) => [name, String(value)]);
    const before = await readTables();
    const answer = await callAs(team.owner, operation, {
      ...sent,
      ...(json ? { json: { ...json, ...extras } } : {}),
      ...(form ? { form: { ...form, ...Object.fromEntries(texts) } } : {}),
    });
    await harness.settle();
    return { sent, status: answer.status, effect: protectedEffect(before, await readTables()) };
  }

  test.each(writable)("are refused or ignored by %s", async (_, one) => {
    const known = bodyFields(one.operation);
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
    }).filter(([name]) => !known.includes(name));
    const usual = await send(one, {});
    expect(usual.status).toBe(200);
    const together = await send(one, Object.fromEntries(extras));
    if (together.status !== 400) {
      expect(together).toMatchObject({ status: 200, effect: usual.effect });
      return;
    }
    expect(together.effect).toEqual({});
    for (const [name, value] of extras) {
      const { status, effect } = await send(one, { [name]: value }, together.sent);
      expect([name, status, effect]).toEqual([name, 400, {}]);
    }
  });
});
