import { describe, expect, test } from "vitest";
import {
  exchangeCode,
  readScopes,
  refusedConsent,
  standardBegin,
  standardFinish,
} from "../../../src/platforms/kit/consents.ts";
import { refusedProfile, toProfile } from "../../../src/platforms/kit/logins.ts";
import { capped } from "../../../src/platforms/kit/replies.ts";
import { APP, backWith, CHALLENGE, REDIRECT, readAddress, START } from "../consents.ts";

const SERVER = {
  platform: "It",
  issuer: "https://it.example",
  tokenEndpoint: "https://it.example/token",
  clientAuth: "basic",
  hasPkce: true,
} as const;

const exchange = (reply: Response, query = {}) =>
  exchangeCode(async () => reply, SERVER, backWith({ code: "c", ...query }), APP);

describe("the way to a consent page", () => {
  const page = "https://it.example/authorize";
  const paramsOf = async (begin: ReturnType<typeof standardBegin>) => {
    const consentStart = await begin(fetch, START, APP);
    return consentStart.ok ? readAddress(consentStart.value.url).params : null;
  };

  test("has the standard's parameters, and the platform's own", async () => {
    const begin = standardBegin(page, () => ({ scope: "read write", prompt: "consent" }));
    expect(await paramsOf(begin)).toEqual({
      response_type: "code",
      client_id: APP.clientId,
      redirect_uri: REDIRECT,
      scope: "read write",
      prompt: "consent",
      state: "state-1",
    });
  });

  test("tells the challenge alone of the verifier, where the platform takes one", async () => {
    expect(await paramsOf(standardBegin(page, () => ({}), { hasPkce: true }))).toMatchObject({
      code_challenge: CHALLENGE,
      code_challenge_method: "S256",
    });
  });
});

test("without a required permission nobody is asked for the account", async () => {
  const scopes = { required: ["write"], optional: [] };
  const finish = standardFinish(SERVER, scopes, () => Promise.reject(new Error("asked")));
  const tokens = { access_token: "t", token_type: "bearer", scope: "read" };
  const reply = async () => Response.json(tokens);
  expect(await finish(reply, backWith({ code: "c" }), APP)).toEqual({
    ok: true,
    value: { accounts: [], scopes: ["read"] },
  });
});

describe("the scopes of a grant", () => {
  test("are none where the list is empty, and unknown where there is no list", async () => {
    expect(readScopes("")).toEqual([]);
    expect(readScopes(undefined)).toBeNull();
    const tokens = { access_token: "t", token_type: "bearer" };
    const none = await exchange(Response.json({ ...tokens, scope: "" }));
    expect(none).toMatchObject({ ok: true, value: { scopes: [] } });
    const unknown = await exchange(Response.json(tokens));
    expect(unknown).toMatchObject({ ok: true, value: { scopes: null } });
  });
});

describe("an exchange that fails", () => {
  test("by a server that is down is tried again later", async () => {
    const { error } = (await exchange(new Response("<html>", { status: 500 }))) as never;
    expect(error).toMatchObject({ failure: "unavailable" });
  });

  test.each([
    ["a token in the callback", { id_token: "x" }, "bearer"],
    ["another kind of token", {}, "mac"],
  ])("by %s is refused", async (_, query, token_type) => {
    const reply = Response.json({ access_token: "t", token_type });
    expect(await exchange(reply, query)).toMatchObject({
      ok: false,
      error: { failure: "refused", message: expect.stringContaining("not asked for") },
    });
  });
});

describe("a refusal for a scope", () => {
  const helps = {
    failure: "refused",
    message: expect.stringMatching(/at \/app\/setup\/it, or to set APP_SCOPES/),
  };

  test.each(["invalid_scope", "unauthorized_scope_error"])(
    "names the step and the variable: %s",
    async (error) => {
      expect(refusedConsent(new URLSearchParams({ error }), "It")).toMatchObject(helps);
      const reply = await exchange(Response.json({ error }, { status: 400 }));
      expect(reply).toMatchObject({ ok: false, error: helps });
    },
  );

  test("is known by its words, too", () => {
    const query = new URLSearchParams({ error_code: "100", error: "bad" });
    query.set("error_message", "Invalid Scopes: read_insights");
    expect(refusedConsent(query, "It")).toMatchObject({
      message: expect.stringContaining("permissions: Invalid Scopes: read_insights. Its owner"),
    });
  });
});

describe("a stranger's words", () => {
  test("are capped, and on one line", () => {
    expect(capped("z".repeat(40_000))).toHaveLength(500);
    expect(capped("a\u0000b\n\u202ec\ud800")).toBe("a b c\ufffd");
  });

  test("leave the sentence around them whole", () => {
    const query = new URLSearchParams({
      error: "bad",
      error_description: `\u202e${"z".repeat(900)}`,
    });
    const { message = "" } = refusedConsent(query, "It") ?? {};
    expect(message).toMatch(/^It refused: z+\.$/);
    expect(message.length).toBeLessThan(300);
  });
});

describe("a profile", () => {
  test("has a plain name and handle of limited length", () => {
    const { accountName, handle } = toProfile({
      id: "1",
      name: `\u202eAda\u0000 L${"x".repeat(60_000)}`,
      handle: "h".repeat(60_000),
    });
    expect(accountName).toMatch(/^Ada {1,2}Lx+$/);
    expect(accountName).toHaveLength(200);
    expect(handle).toHaveLength(253);
  });

  test("goes by its handle, or its id, where nothing is left of the name", () => {
    expect(toProfile({ id: "1", name: "\u202e ", handle: "ada" }).accountName).toBe("ada");
    expect(toProfile({ id: "1", name: null }).accountName).toBe("1");
  });

  test.each(["", "i".repeat(301), "a\u0000b", "a\u202eb"])("is refused with the id %j", (id) => {
    expect(refusedProfile(toProfile({ id, name: "Ada" }))).toContain("id cannot be read");
  });

  test("is taken with an id of usual length", () => {
    expect(refusedProfile(toProfile({ id: "did:plc:abc", name: "Ada" }))).toBeNull();
  });
});
