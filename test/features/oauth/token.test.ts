import { beforeEach, describe, expect, test } from "vitest";
import { send } from "../../support/agent.ts";
import type { Harness } from "../../support/harness.ts";
import type { Browser } from "../../support/person.ts";
import { API, Program, programStage } from "../../support/program.ts";

let harness: Harness;
let browser: Browser;
let program: Program;

beforeEach(async () => {
  ({ harness, browser, program } = await programStage());
});

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

const listTools = (token: string) => send(harness, "tools/list", {}, bearer(token));

/** Of the mails that were sent. */
const subjects = () =>
  harness.logs.flatMap((line) => ("subject" in line ? [String(line.subject)] : []));

describe("renewal", () => {
  test("of one token, a hundred times at once, makes one pair", async () => {
    const { refresh_token } = await program.tokens(browser);
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => program.refresh(refresh_token)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(200));
    expect(new Set(answers.map(({ body }) => body.access_token)).size).toBe(1);
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1);
    const [{ body } = { body: null }] = answers;
    expect((await listTools(body.access_token)).status).toBe(200);
    expect((await program.refresh(body.refresh_token)).status).toBe(200);
  });

  test("answers the same pair again while the answer may be lost", async () => {
    const { refresh_token } = await program.tokens(browser);
    const first = await program.refresh(refresh_token);
    harness.advance(30 * 60);
    const again = await program.refresh(refresh_token);
    expect(again.body.access_token).toBe(first.body.access_token);
    expect(again.body.expires_in).toBe(1_800);
  });

  test("with an old token ends the grant", async () => {
    const { refresh_token } = await program.tokens(browser);
    const { body } = await program.refresh(refresh_token);
    expect((await listTools(body.access_token)).status).toBe(200);
    harness.advance(120);
    expect((await program.refresh(refresh_token)).body.error).toBe("invalid_grant");
    const refused = await listTools(body.access_token);
    expect(refused.status).toBe(401);
    expect(refused.body.error).toMatch(/^This program's access has expired or was ended/);
    expect((await program.refresh(body.refresh_token)).body.error).toBe("invalid_grant");
    await harness.settle();
    expect(subjects().filter((subject) => subject === "A program was ended")).toHaveLength(1);
  });

  test("of another program is refused and changes nothing", async () => {
    const { refresh_token } = await program.tokens(browser);
    const other = await new Program(harness).register();
    expect((await other.refresh(refresh_token)).body.error).toBe("invalid_grant");
    expect((await program.refresh(refresh_token)).status).toBe(200);
  });
});

describe("a code", () => {
  test("is exchanged once, and a later second time ends the grant", async () => {
    const code = await program.code(browser);
    const answers = await Promise.all(Array.from({ length: 10 }, () => program.exchange(code)));
    const done = answers.filter(({ status }) => status === 200);
    expect(done).toHaveLength(1);
    const token = done[0]?.body.access_token;
    expect((await listTools(token)).status).toBe(200);
    harness.advance(20);
    for (let i = 0; i < 3; i++)
      expect((await program.exchange(code)).body.error).toBe("invalid_grant");
    expect((await listTools(token)).status).toBe(401);
    await harness.settle();
    expect(subjects()).toEqual(["A program may act for you", "A program was ended"]);
  });

  test.each([
    ["of another client", { client_id: "other" }, "invalid_client"],
    ["with a wrong verifier", { code_verifier: "w".repeat(50) }, "invalid_grant"],
    ["with another redirect", { redirect_uri: "https://other.example/" }, "invalid_grant"],
    ["for another resource", { resource: API }, "invalid_target"],
    ["with another grant type", { grant_type: "password" }, "unsupported_grant_type"],
  ])("%s is refused", async (_, more, error) => {
    const code = await program.code(browser);
    expect((await program.exchange(code, more)).body.error).toBe(error);
    expect((await program.exchange(code)).status).toBe(200);
  });

  test("that is a minute old is refused", async () => {
    const code = await program.code(browser);
    harness.advance(61);
    expect((await program.exchange(code)).body.error).toBe("invalid_grant");
  });
});
