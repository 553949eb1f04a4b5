import { expect, test } from "vitest";
import { send } from "../support/agent.ts";
import { createMember, harnessWith } from "../support/harness.ts";
import { measure } from "../support/meter.ts";
import { Browser } from "../support/person.ts";
import { allow, answerOf, Program, REDIRECT } from "../support/program.ts";
import { slowPlans, summary } from "./support.ts";

const [operateGuide = ""] = Object.values(
  import.meta.glob("../../src/docs/operate.md", { query: "?raw", import: "default", eager: true }),
).map(String);

interface Figures {
  roundTrips: number;
  rowsRead: number;
  rowsWritten: number;
}

/** Takes a program from its registration to its end, and returns what each step costs. */
async function walk() {
  const harness = harnessWith({ publicUrl: "https://akimbo.test" });
  const browser = await new Browser(harness).signIn(await createMember());
  const figures: Record<string, Figures> = {};
  const slow: string[] = [];
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const { result, costs } = await measure(harness, work);
    const { roundTrips, rowsRead, rowsWritten } = summary(costs);
    figures[name] = { roundTrips, rowsRead, rowsWritten };
    // A person has few teams, and a team few accounts and apps: pages sort them.
    const isPage = ["open", "allow", "apps"].includes(name);
    const statements = costs.roundTrips.flat().filter(({ sql }) => !sql.includes("FROM sessions"));
    if (!isPage) slow.push(...(await slowPlans(statements, ["family"])));
    return result;
  };
  const list = (token: string) =>
    send(harness, "tools/list", {}, { headers: { authorization: `Bearer ${token}` } });

  const program = await step("register", () => new Program(harness).register());
  const path = await program.authorizePath();
  const page = await step("open", () => browser.get(path));
  const answer = await step("allow", () => allow(browser, page));
  const code = answerOf(answer).get("code") ?? "";
  const { body } = await step("exchange", () => program.exchange(code));
  await step("first call", () => list(body.access_token));
  await step("call", () => list(body.access_token));
  harness.advance(3_000);
  const renewed = await step("renew", () => program.refresh(body.refresh_token));
  await step("first call after", () => list(renewed.body.access_token));
  await step("revoke", () =>
    program.post("/revoke", { client_id: program.clientId, token: renewed.body.refresh_token }),
  );
  const fields = { name: "Flows", redirectUris: REDIRECT, kind: "public" };
  const { html } = await browser.post("/app/settings/apps", fields);
  await step("apps", () => browser.get("/app/settings/apps"));
  const id = /kmx_[0-9a-f]{32}/.exec(html)?.[0];
  await step("delete", () => browser.post(`/app/settings/apps/${id}/delete`));
  return { figures, slow };
}

const plus = (...all: (Figures | undefined)[]) => ({
  rowsRead: all.reduce((sum, one) => sum + (one?.rowsRead ?? 0), 0),
  rowsWritten: all.reduce((sum, one) => sum + (one?.rowsWritten ?? 0), 0),
});

test("a program costs as many rows as the guide says, and reads by indexes", async () => {
  await walk();
  const { figures, slow } = await walk();
  expect(slow).toEqual([]);
  expect(figures).toMatchObject({
    register: { roundTrips: 1, rowsWritten: 1 },
    open: { roundTrips: 2, rowsWritten: 0 },
    allow: { roundTrips: 3, rowsWritten: 2 },
    exchange: { roundTrips: 4, rowsWritten: 16 },
    call: { roundTrips: 1, rowsWritten: 0 },
    renew: { roundTrips: 3, rowsWritten: 8 },
    apps: { roundTrips: 1, rowsWritten: 0 },
  });
  const { register, open, allow: allowed, exchange, call, renew } = figures;
  const rows = [
    ["a sign-in, from the registration to the tokens", plus(register, open, allowed, exchange)],
    ["a renewal, once an hour while the program is used", plus(renew, figures["first call after"])],
    ["each other call, beside what its tool does", plus(call)],
  ] as const;
  const guide = rows.map(
    ([name, { rowsRead, rowsWritten }]) => `| ${name} | ${rowsRead} | ${rowsWritten} |`,
  );
  expect(operateGuide).toContain(guide.join("\n"));
});
