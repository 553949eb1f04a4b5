import { beforeEach, expect, test } from "vitest";
import { callTool, send } from "../support/agent.ts";
import { connectSandbox, type Harness, type Member } from "../support/harness.ts";
import { measure } from "../support/meter.ts";
import type { Browser } from "../support/person.ts";
import { API, type Program, programStage } from "../support/program.ts";
import { slowPlans } from "./support.ts";

let harness: Harness;
let member: Member;
let browser: Browser;
let program: Program;

beforeEach(async () => {
  ({ harness, member, browser, program } = await programStage());
});

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

async function costsOf(work: () => Promise<unknown>) {
  const { costs } = await measure(harness, work);
  const statements = costs.roundTrips.flat();
  return {
    trips: costs.roundTrips.length,
    statements: statements.length,
    read: costs.rowsRead,
    written: costs.rowsWritten,
    slow: await slowPlans(statements),
  };
}

const READING = ["accounts:read", "posts:read", "analytics:read", "team:read"];

/** A token for the API, used once already. */
async function apiToken(): Promise<string> {
  const scopes = { scope: READING.join(" "), resource: API };
  const code = await program.code(browser, scopes, { scopes: READING });
  const { body } = await program.exchange(code, { resource: API });
  return body.access_token;
}

/** The access token and its grant, in each of the two statements. */
const MORE_ROWS = 4;

test("a program's call of a tool that reads is one round trip; so is the list of tools", async () => {
  await connectSandbox(harness, member);
  const { access_token } = await program.tokens(browser);
  const list = () => send(harness, "tools/list", {}, bearer(access_token));
  const read = () => callTool(harness, "", "list_accounts", {}, bearer(access_token));
  const pasted = () => callTool(harness, member.token, "list_accounts");
  // The first use of a token in an hour is noted.
  for (const use of [list, pasted]) {
    await use();
    await harness.settle();
  }
  expect(await costsOf(list)).toMatchObject({ trips: 1, statements: 1, written: 0, slow: [] });
  const own = await costsOf(read);
  expect(own).toMatchObject({ trips: 1, statements: 2, written: 0, slow: [] });
  const { read: rows } = await costsOf(pasted);
  expect(own.read - rows, "rows read beyond those of a pasted token").toBeLessThanOrEqual(
    MORE_ROWS,
  );
});

test("the API asks the database no more often for a program than for a pasted token", async () => {
  await connectSandbox(harness, member);
  const token = await apiToken();
  for (const path of [
    "/accounts",
    "/upload",
    "/teams",
    "/calendar?from=2026-12-01&to=2027-01-01",
  ]) {
    const call = (presented: string) => async () => {
      const headers = { authorization: `Bearer ${presented}` };
      const { status } = await harness.request(`/api/v1${path}`, { headers });
      expect([path, status]).toEqual([path, 200]);
    };
    for (const one of [token, member.token]) {
      await call(one)();
      await harness.settle();
    }
    const [own, pasted] = [await costsOf(call(token)), await costsOf(call(member.token))];
    expect([path, own.trips, own.written]).toEqual([path, pasted.trips, 0]);
    expect(own.slow, path).toEqual(pasted.slow);
  }
});

/** One trip knows the program, one the code or token, one writes; after an exchange, one finds whom to write to. */
test("the exchange of a code and a renewal have a few round trips, however many grants there are", async () => {
  for (let i = 0; i < 20; i++) await program.tokens(browser);
  const code = await program.code(browser);
  let refreshToken = "";
  const exchange = await costsOf(async () => {
    const { status, body } = await program.exchange(code);
    expect(status).toBe(200);
    refreshToken = body.refresh_token;
  });
  expect(exchange).toEqual({ trips: 4, statements: 12, read: 27, written: 15, slow: [] });
  const renewal = async () => expect((await program.refresh(refreshToken)).status).toBe(200);
  expect(await costsOf(renewal)).toEqual({
    trips: 3,
    statements: 8,
    read: 19,
    written: 8,
    slow: [],
  });
  // The rows of the new pair are there: what is written is when the grant was used.
  expect(await costsOf(renewal)).toMatchObject({ trips: 3, written: 1 });
});
