import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { SCOPES, type Scope } from "../../src/core/scopes.ts";
import { createApi } from "../../src/doors/api.ts";
import {
  MAX_DESCRIPTION_CHARACTERS,
  MAX_FIELD_CHARACTERS,
  MAX_TITLE_CHARACTERS,
  MAX_URL_CHARACTERS,
} from "../../src/features/uploads/create/text-bounds.ts";
import { apiRoute, createRouter, formRoute, json, jsonBody } from "../../src/http/route.ts";
import { fieldInfos } from "../../src/platforms/kit/form-fields.ts";
import { connectors } from "../../src/platforms/registry.ts";
import {
  type Answer,
  connectSandbox,
  createMember,
  createToken,
  form,
  Harness,
  joinTeam,
  type Member,
} from "../support/harness.ts";
import {
  answerSchema,
  fetchDocument,
  type Operation,
  operationsOf,
  refsOf,
  resolve,
  unbounded,
} from "./document.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

const harness = new Harness();
const fetched = await fetchDocument(harness);
const document = fetched.body;
const operations = operationsOf(document);
const named = operations.map((operation) => [`${operation.method} ${operation.called}`, operation]);
const everyOperation = named as [string, Operation][];
const withId = everyOperation.filter(([name]) => name.includes("{id}"));

/** A body that its route accepts, so that nothing but the caller can be the reason of a refusal. */
function validBody(operation: Operation): { json?: unknown; body?: BodyInit } {
  const bodies: Record<string, { json?: unknown; body?: BodyInit }> = {
    "POST /accounts": { json: { platform: "bluesky", sandbox: true, name: "Grace" } },
    "PATCH /accounts/{id}": { json: { tags: "stolen" } },
    "POST /tokens": { json: { name: "CI" } },
    "PATCH /teams": { json: { name: "Stolen" } },
    "POST /teams/invites": { json: { role: "MEMBER" } },
    "PATCH /teams/members/{targetUserId}": { json: { role: "ADMIN" } },
    "POST /upload": { body: form({ accountId: "acc_0", description: "Hello" }) },
    "POST /upload/bulk": { body: form({ accounts: '["acc_0"]', description: "Hello" }) },
    "POST /upload/validate": { body: form({ accounts: '["acc_0"]', description: "Hello" }) },
    "PATCH /upload/{id}": { json: { title: "Stolen" } },
    "PATCH /settings": { json: { zone: "Europe/Berlin" } },
    "DELETE /teams/{id}": { json: { confirm: "none" } },
    "POST /suggestions": { json: { title: "Idea" } },
    "PUT /settings/logo": { body: "<svg></svg>" },
  };
  return bodies[`${operation.method} ${operation.called}`] ?? {};
}

/** An account of the platform that alone can be asked this; its id is a required query parameter. */
const PLATFORM_OF: Record<string, string> = {
  "/pinterest/boards": "pinterest",
  "/tiktok/stats": "tiktok",
};

const pathOf = ({ called }: Operation, id: string, accountId = "acc_0"): string =>
  called.replace(/\{(id|targetUserId)\}/, id).replace("{accountId}", accountId) +
  (PLATFORM_OF[called] ? `?accountId=${accountId}` : "");

const callAs = (
  token: string | undefined,
  operation: Operation,
  { id = "999999", headers = {} }: { id?: string; headers?: Record<string, string> } = {},
): Promise<Answer> =>
  harness.call(operation.method, pathOf(operation, id), {
    token,
    headers,
    ...validBody(operation),
  });

/** An open invite of the member's; its id. */
async function inviteBy({ token }: Member): Promise<string> {
  const json = { role: "MEMBER" };
  const answer = await harness.call("POST", "/teams/invites", { token, json });
  return String(answer.body.data.id);
}

/** Somebody else who is in the member's team; their id. */
async function mateOf({ teamId }: Member): Promise<string> {
  const { userId } = await createMember();
  await joinTeam(teamId, userId, "MEMBER");
  return String(userId);
}

let owner: Member;
let victim: Member;
const ids = { account: "", upload: "", token: "", invite: "" };

const foreignId = (operation: Operation): string => {
  if (operation.called.startsWith("/accounts")) return ids.account;
  if (operation.called === "/teams/{id}") return String(victim.teamId);
  if (operation.called.startsWith("/teams")) return ids.invite;
  return operation.called.startsWith("/tokens") ? ids.token : ids.upload;
};

beforeAll(async () => {
  owner = await createMember();
  victim = await createMember();
  ids.account = await connectSandbox(harness, victim);
  const created = await harness.call("POST", "/upload", {
    token: victim.token,
    body: form({ accountId: ids.account, description: "Private", status: "draft" }),
  });
  ids.upload = String(created.body.data.uploadId);
  await createToken(victim.userId);
  const row = await env.DB.prepare("SELECT MAX(id) AS id FROM tokens WHERE user_id = ?")
    .bind(victim.userId)
    .first<{ id: number }>();
  ids.token = String(row?.id);
  ids.invite = await inviteBy(victim);
});

/** OpenAPI's keys of an operation, and our one extension. */
const OPERATION_KEYS = [
  "description",
  "operationId",
  "parameters",
  "requestBody",
  "responses",
  "security",
  "summary",
  "tags",
  "x-required-scope",
];

describe("the document", () => {
  test("is OpenAPI 3.1.0 of interface version 1.0.0", () => {
    expect(fetched.status).toBe(200);
    expect(document).toMatchObject({ openapi: "3.1.0", info: { version: "1.0.0" } });
    expect(operations.length).toBeGreaterThan(0);
  });

  test("has no reference to nowhere", () => {
    const refs = refsOf(document);
    expect(refs.length).toBeGreaterThan(0);
    for (const ref of refs) expect(resolve(document, ref), ref).toBeTypeOf("object");
  });

  test.each(everyOperation)(
    "says of %s what it is, needs and answers",
    (_, { spec, scope, path }) => {
      expect(spec.summary).toMatch(/^[A-Z]/);
      expect(spec.tags.length).toBeGreaterThan(0);
      expect(SCOPES).toContain(scope);
      expect(spec.description).toContain(`Scope: \`${scope}\``);
      expect(spec.security).toEqual([{ apiKey: [] }]);
      expect(Object.keys(spec.responses)).toEqual(
        expect.arrayContaining(["200", "400", "401", "403", "429"]),
      );
      for (const response of Object.values<{ description: string; content: object }>(
        spec.responses,
      )) {
        expect(response.description).toBeTruthy();
        expect(Object.keys(response.content)[0]).toMatch(/^application\/(json|x-ndjson)$/);
      }
      expect(Object.keys(spec).sort()).toEqual(OPERATION_KEYS.filter((key) => key in spec));
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const described = (spec.parameters ?? []).filter(
        (parameter: { in: string; required: boolean }) =>
          parameter.in === "path" && parameter.required,
      );
      expect(described.map(({ name }: { name: string }) => name)).toEqual(inPath);
    },
  );

  test.each(everyOperation)("tells all that a refusal of %s can hold", (_, operation) => {
    const fieldsOf = (status: number) =>
      Object.keys(answerSchema(document, operation, status).properties);
    const always = ["success", "error", "code"];
    expect(fieldsOf(400)).toEqual([...always, "errors", "message", "violations"]);
    expect(fieldsOf(401)).toEqual(always);
    expect(fieldsOf(403)).toEqual([...always, "requiredScope"]);
    expect(fieldsOf(429)).toEqual([...always, "message", "violations"]);
    expect(operation.spec.responses[429].headers).toHaveProperty("Retry-After");
  });

  test.each(everyOperation)("declares and describes the tags of %s", (_, { spec }) => {
    const declared = new Map(
      document.tags.map((tag: { name: string; description: string }) => [
        tag.name,
        tag.description,
      ]),
    );
    for (const tag of spec.tags) expect(declared.get(tag), tag).toMatch(/^[A-Z].+\.$/);
  });

  test("tells where an Idempotency-Key is taken, and what comes of it", () => {
    const takingKeys = operations.filter(({ spec }) =>
      spec.parameters.some(
        (parameter: { $ref?: string }) =>
          resolve(document, parameter.$ref ?? "")?.name === "Idempotency-Key",
      ),
    );
    expect(takingKeys.map(({ method, called }) => `${method} ${called}`).sort()).toEqual([
      "POST /upload",
      "POST /upload/bulk",
      "POST /upload/{id}/retry",
    ]);
    for (const { spec } of takingKeys) {
      expect(spec.responses[200].headers).toHaveProperty("Idempotent-Replayed");
      expect(spec.responses[409].description).toContain("IDEMPOTENCY_IN_PROGRESS");
      expect(spec.responses[422].description).toContain("IDEMPOTENCY_MISMATCH");
    }
  });

  test("says the most of every text, list and number that a call may carry", () => {
    expect(
      operations.flatMap(({ method, called, spec }) =>
        unbounded(document, spec.requestBody?.content ?? {}, `${method} ${called}`),
      ),
    ).toEqual([]);
    const { properties } = document.components.schemas.NewUploads;
    const { title, description, caption, tags, thumbnail_url } = properties;
    expect(
      [title, description, caption, tags, thumbnail_url].map(({ maxLength }) => maxLength),
    ).toEqual([
      MAX_TITLE_CHARACTERS,
      MAX_DESCRIPTION_CHARACTERS,
      MAX_DESCRIPTION_CHARACTERS,
      MAX_FIELD_CHARACTERS,
      MAX_URL_CHARACTERS,
    ]);
  });

  test.each(["NewUpload", "NewUploads"])("%s says what a field is to each platform", (name) => {
    const { properties } = document.components.schemas[name];
    for (const { platform, settings } of connectors()) {
      for (const [field, { description }] of Object.entries(fieldInfos(settings))) {
        expect(properties[field].description).toContain(`**${platform}**: ${description}`);
      }
    }
  });

  test("and the router agree on every path and method", () => {
    const routed = harness.routes
      .filter(({ method, path }) => method !== "ALL" && path.startsWith("/api/v1"))
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`)
      .filter((route) => route !== "GET /api/v1/openapi.json");
    const documented = operations.map(({ method, path }) => `${method} ${path}`);
    expect([...new Set(routed)].sort()).toEqual(documented.sort());
  });

  test("describes every field of the multipart body", () => {
    const { content, required } = document.paths["/api/v1/upload"].post.requestBody;
    expect(required).toBe(true);
    const { schema } = content["multipart/form-data"];
    const body = schema.$ref ? resolve(document, schema.$ref) : schema;
    expect(Object.keys(body.properties)).toEqual(
      expect.arrayContaining([
        ...["accountId", "title", "description", "schedule_date", "status"],
        ...["photo", "file", "video"],
        ...["bluesky_langs", "bluesky_labels", "bluesky_alt_text"],
      ]),
    );
    expect(body.required).toEqual(["accountId"]);
  });
});

describe.each(everyOperation)("%s", (_, operation) => {
  test("answers 401 without a token", async () => {
    const answer = await callAs(undefined, operation);
    expect(answer).toMatchObject({ status: 401, body: { success: false, code: "UNAUTHORIZED" } });
    expect(answer.body.error).toBeTypeOf("string");
  });

  test.each([
    ["short", "kmb_abc"],
    ["of another prefix", `kmc_${"a".repeat(64)}`],
    ["with a trailing letter", `kmb_${"a".repeat(65)}`],
    ["nobody has", `kmb_${"a".repeat(64)}`],
  ])("answers 401 to a token that is %s", async (_what, token) => {
    expect(await callAs(token, operation)).toMatchObject({
      status: 401,
      body: { success: false, code: "UNAUTHORIZED" },
    });
  });

  test("answers 403 with the documented scope to a token that has none that is needed", async () => {
    const scopes: Scope[] = operation.scope.startsWith("links")
      ? ["pools:write"]
      : ["links:write", "analytics:read"];
    const token = await createToken(owner.userId, { scopes });
    expect(await callAs(token, operation)).toMatchObject({
      status: 403,
      body: { success: false, code: "INSUFFICIENT_SCOPE", requiredScope: operation.scope },
    });
  });

  test("is satisfied by the documented scope", async () => {
    const token = await createToken(owner.userId, { scopes: [operation.scope as Scope] });
    const { status } = await callAs(token, operation);
    expect([200, 404]).toContain(status);
  });

  test("has the headers of every answer, refused or not", async () => {
    for (const token of [owner.token, undefined]) {
      const { headers } = await callAs(token, operation);
      expect(headers.get("cache-control")).toBe("private, no-store");
      expect(headers.get("x-request-id")).toMatch(/^[0-9a-f]{16}$/);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(headers.get("content-type")).toMatch(/^application\/(json|x-ndjson)$/);
      expect(headers.get("access-control-allow-origin")).toBe("*");
    }
  });

  test("answers as the document says", async () => {
    const member = await createMember();
    const accountId = await connectSandbox(harness, member);
    const created = await harness.call("POST", "/upload", {
      token: member.token,
      body: form({ accountId, description: "Hello", status: "draft" }),
    });
    const tokens = await harness.call("GET", "/tokens", { token: member.token });
    const owned: Record<string, string> = {
      accounts: accountId,
      tokens: String(tokens.body.data[0].id),
      upload: String(created.body.data.uploadId),
      "teams/{id}": String(member.teamId),
      "teams/invites": await inviteBy(member),
      "teams/members": await mateOf(member),
    };
    const family = /^\/((?:teams\/)?[^/]+)/.exec(operation.called)?.[1] ?? "";
    const own = owned[family] ?? String(created.body.data.uploadId);
    const named = operation.method === "POST" && operation.called === "/upload";
    const platform = PLATFORM_OF[operation.called];
    const asked = platform ? await connectSandbox(harness, member, "Asked", platform) : accountId;
    if (operation.called.endsWith("/retry")) {
      const fail = "UPDATE uploads SET status = 'failed', status_group = 'failed' WHERE id = ?";
      await env.DB.prepare(fail).bind(own).run();
    }
    if (operation.called === "/teams/{id}") {
      const bySlug = "UPDATE teams SET slug = 'none' WHERE id = ?";
      await env.DB.prepare(bySlug).bind(member.teamId).run();
    }
    const answer = await harness.call(operation.method, pathOf(operation, own, asked), {
      token: member.token,
      ...(named ? { body: form({ accountId, description: "Hello" }) } : validBody(operation)),
    });
    expect(answer.status).toBe(200);
    // That the body is what the document says of it, the harness sees to with every call.
  });
});

describe("a text that is longer than the document allows", () => {
  test.each([
    ["title", MAX_TITLE_CHARACTERS],
    ["description", MAX_DESCRIPTION_CHARACTERS],
  ])("is refused as %s, whatever the post is", async (field, most) => {
    const { token } = owner;
    const accountId = await connectSandbox(harness, owner, "Long");
    const draft = (text: string) =>
      harness.call("POST", "/upload", {
        token,
        body: form({ accountId, status: "draft", description: "Hello", [field]: text }),
      });
    const refused = { field, message: expect.stringContaining("must have at most") };
    for (const character of ["x", "😀"]) {
      const drafted = await draft(character.repeat(most + 1));
      expect(drafted.status).toBe(400);
      expect(drafted.body.errors).toContainEqual(refused);
    }
    const created = await draft("Hello");
    const json = { [field]: "x".repeat(most + 1) };
    const path = `/upload/${created.body.data.uploadId}`;
    const edited = await harness.call("PATCH", path, { token, json });
    expect(edited.status).toBe(400);
    expect(edited.body.errors).toContainEqual(refused);
  });
});

describe("before anything is said of the request", () => {
  const nobody = `kmb_${"b".repeat(64)}`;

  test.each([
    ["a body that is no JSON", "POST", "/accounts", { json: "{" }],
    ["a body of another type", "POST", "/accounts", { body: "a=b" }],
    ["an upload that is no form", "POST", "/upload", { json: {} }],
    ["a form without a boundary", "POST", "/upload", { form: "multipart/form-data" }],
    ["a broken form", "POST", "/upload", { form: "multipart/form-data; boundary=x" }],
    ["an id that is none", "GET", "/upload/abc", {}],
    ["a token id that is none", "DELETE", "/tokens/abc", {}],
    ["a refused query", "GET", "/upload?limit=0", {}],
  ] as const)("the caller must be known: 401 for %s", async (_, method, path, sent) => {
    const isForm = "form" in sent;
    const answer = await harness.call(method, path, {
      token: nobody,
      ...(isForm ? { body: "nothing", headers: { "content-type": sent.form } } : sent),
    });
    expect(answer).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
  });

  test("and hold the scope: 403 for an id that is none", async () => {
    const token = await createToken(owner.userId, { scopes: ["links:read"] });
    expect(await harness.call("GET", "/upload/abc", { token })).toMatchObject({
      status: 403,
      body: { requiredScope: "posts:read" },
    });
  });
});

describe("a handler that forgets to ask who is calling", () => {
  const router = createRouter();
  const place = { scope: "posts:write", limit: "write" } as const;
  const responses = json(z.object({ secret: z.string() }), "Nobody's business.");
  const body = jsonBody(z.object({}));
  const forget = { ...place, method: "post", responses } as const;
  const secret = { secret: "This leaves to nobody unknown." };
  let handled = 0;
  for (const route of [
    apiRoute({ ...forget, path: "/get", method: "get" }),
    apiRoute({ ...forget, path: "/json", request: { body } }),
    formRoute({ ...forget, path: "/form", form: z.object({ a: z.string() }) }),
  ]) {
    router.openapi(route, (c) => {
      handled++;
      return c.json(secret, 200, { "X-Secret": "too" });
    });
  }
  router.get("/undeclared", (c) => c.json(secret));
  const api = createApi(() => harness.deps, [router]);
  const bodies: Record<string, BodyInit> = { json: "{}", form: form({ a: "b" }) };
  const call = async (path: string, token?: string) => {
    const before = handled;
    const response = await api.request(`/api/v1/${path}`, {
      method: path in bodies ? "POST" : "GET",
      body: bodies[path],
      headers: {
        ...(token ? { "x-api-key": token } : {}),
        ...(path === "json" ? { "content-type": "application/json" } : {}),
      },
    });
    const { code } = await response.json<{ code?: string }>();
    const { status, headers } = response;
    const told = {
      secret: headers.get("x-secret"),
      origin: headers.get("access-control-allow-origin"),
    };
    return { status, code, told, handled: handled - before };
  };

  test.each(["get", "json", "form"])("has its answer dropped: %s", async (path) => {
    const told = { secret: null, origin: "*" };
    const unknown = await call(path, `kmb_${"c".repeat(64)}`);
    expect(unknown).toMatchObject({ status: 401, code: "UNAUTHORIZED", told });
    const lacking = await createToken(owner.userId, { scopes: ["posts:read"] });
    expect(await call(path, lacking)).toMatchObject({
      status: 403,
      code: "INSUFFICIENT_SCOPE",
      told,
      handled: 1,
    });
    expect(await call(path)).toMatchObject({ status: 401, handled: 0 });
    expect(await call(path, owner.token)).toMatchObject({ status: 200, handled: 1 });
  });

  test("is told to nobody where it declares no scope at all", async () => {
    const answer = await call("undeclared", owner.token);
    expect(answer).toMatchObject({ status: 500, code: "INTERNAL" });
  });
});

const everyPath = [...new Set(operations.map(({ called }) => called))];

describe.each(everyPath)("%s", (called) => {
  const allowed = operations.filter((one) => one.called === called).map(({ method }) => method);
  const wrong = METHODS.filter((method) => !allowed.includes(method));

  test.each(wrong)("answers 405 to %s and names what is allowed", async (method) => {
    const answer = await harness.call(method, called.replace("{id}", "1"), { token: owner.token });
    expect(answer).toMatchObject({
      status: 405,
      body: { success: false, code: "METHOD_NOT_ALLOWED" },
    });
    const named = answer.headers.get("allow")?.split(", ") ?? [];
    expect(named.sort()).toEqual(allowed.sort());
    expect(answer.headers.get("cache-control")).toBe("private, no-store");
  });

  test("answers a preflight for any origin", async () => {
    const response = await harness.request(`/api/v1${called.replace("{id}", "1")}`, {
      method: "OPTIONS",
      headers: {
        origin: "https://app.example.com",
        "access-control-request-method": "POST",
        "access-control-request-headers": "x-api-key, x-team-id",
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-allow-headers")).toContain("x-api-key");
    expect(response.headers.get("access-control-allow-credentials")).toBeNull();
  });
});

test.each([
  "/nothing",
  "/accounts/",
  "/accounts//",
  "//accounts",
  "/ACCOUNTS",
  "/upload/1/",
  "/upload/1/nothing",
  "/%2e%2e%2fopenapi.json",
  "/accounts%00",
])("%s is an unknown path: 404 in the envelope", async (path) => {
  const answer = await harness.call("GET", path, { token: owner.token });
  expect(answer).toMatchObject({ status: 404, body: { success: false, code: "NOT_FOUND" } });
  expect(answer.headers.get("cache-control")).toBe("private, no-store");
  expect(answer.headers.get("x-request-id")).toBeTruthy();
});

test.each(["X-HTTP-Method-Override", "X-Method-Override", "X-HTTP-Method"])(
  "%s changes no method",
  async (header) => {
    const answer = await harness.call("GET", `/accounts/${ids.account}`, {
      token: victim.token,
      headers: { [header]: "DELETE" },
    });
    expect(answer.status).toBe(200);
    expect((await harness.call("GET", "/accounts", { token: victim.token })).body.count).toBe(1);
  },
);

const victimRows = async () =>
  JSON.stringify(
    await Promise.all(
      ["accounts", "uploads", "events", "media"].map(
        async (table) =>
          (
            await env.DB.prepare(`SELECT * FROM ${table} WHERE team_id = ?`)
              .bind(victim.teamId)
              .all()
          ).results,
      ),
    ),
  );

describe.each(withId)("%s keeps what is somebody else's", (_, operation) => {
  const principals: [string, number[], () => Promise<[string, Record<string, string>?]>][] = [
    ["the owner of another team", [404], async () => [(await createMember()).token]],
    [
      "an admin of another team",
      [404],
      async () => {
        const host = await createMember();
        const guest = await createMember();
        await joinTeam(host.teamId, guest.userId, "ADMIN");
        return [guest.token, { "x-team-id": String(host.teamId) }];
      },
    ],
    [
      "a stranger who names the team",
      [403],
      async () => [(await createMember()).token, { "x-team-id": String(victim.teamId) }],
    ],
    [
      "a member of the team with lesser scopes",
      [403],
      async () => {
        const member = await createMember();
        await joinTeam(victim.teamId, member.userId, "MEMBER");
        const scopes: Scope[] = ["links:write", "analytics:read"];
        const token = await createToken(member.userId, { scopes, teamId: victim.teamId });
        return [token];
      },
    ],
    [
      "a revoked token of the team",
      [401],
      async () => {
        const token = await createToken(victim.userId);
        await env.DB.prepare(
          "UPDATE tokens SET revoked_at = 1 WHERE id = (SELECT MAX(id) FROM tokens)",
        ).run();
        return [token];
      },
    ],
    [
      "a pinned token of a user who left",
      [401],
      async () => {
        const member = await createMember();
        return [await createToken(member.userId, { teamId: victim.teamId })];
      },
    ],
    [
      "a user who was switched off in the team",
      [403],
      async () => {
        const member = await createMember();
        await joinTeam(victim.teamId, member.userId, "ADMIN");
        await env.DB.prepare("UPDATE members SET is_active = 0 WHERE user_id = ? AND team_id = ?")
          .bind(member.userId, victim.teamId)
          .run();
        return [member.token, { "x-team-id": String(victim.teamId) }];
      },
    ],
    [
      "a token pinned to another team",
      [404],
      async () => {
        const member = await createMember();
        return [await createToken(member.userId, { teamId: member.teamId })];
      },
    ],
    [
      "a token pinned to another team that names this one",
      [403],
      async () => {
        const member = await createMember();
        const token = await createToken(member.userId, { teamId: member.teamId });
        return [token, { "x-team-id": String(victim.teamId) }];
      },
    ],
  ];

  test.each(principals)("from %s (%j)", async (_who, expected, enter) => {
    const [token, headers] = await enter();
    const before = await victimRows();
    const answer = await callAs(token, operation, { id: foreignId(operation), headers });
    expect(expected).toContain(answer.status);
    expect(answer.body.success).toBe(false);
    const isScopeAnswer = answer.body.code === "INSUFFICIENT_SCOPE";
    expect(Object.keys(answer.body).sort()).toEqual(
      isScopeAnswer ? ["code", "error", "requiredScope", "success"] : ["code", "error", "success"],
    );
    expect(JSON.stringify(answer.body)).not.toMatch(/Private|Ada/);
    await harness.settle();
    expect(await victimRows()).toBe(before);
  });

  test("in the same words as what does not exist at all", async () => {
    const { token } = await createMember();
    const nobodys = operation.called.startsWith("/accounts") ? "acc_0000000000000000" : "999999999";
    const foreign = await callAs(token, operation, { id: foreignId(operation) });
    const absent = await callAs(token, operation, { id: nobodys });
    expect(foreign.body).toEqual(absent.body);
  });
});

test("a colleague's token is not listed and not revoked by another member of the team", async () => {
  const colleague = await createMember();
  await joinTeam(victim.teamId, colleague.userId, "ADMIN");
  const token = await createToken(colleague.userId, { teamId: victim.teamId });
  const listed = await harness.call("GET", "/tokens", { token });
  expect(listed.body.data).toHaveLength(1);
  const revoked = await harness.call("DELETE", `/tokens/${ids.token}`, { token });
  expect(revoked).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
});

describe("fields that are not the caller's to set", () => {
  const extra = {
    id: "acc_mine",
    teamId: 1,
    team_id: 1,
    userId: 1,
    status: "active",
    credits: 1_000_000,
    role: "OWNER",
    verified: true,
    failureCount: 0,
    deletedAt: null,
  };

  test.each(Object.entries(extra))("%s is refused in a JSON body", async (field, value) => {
    const accountId = await connectSandbox(harness, owner, "Mass");
    const { token } = owner;
    const bodies: [string, string, object][] = [
      ["PATCH", `/accounts/${accountId}`, { tags: "a" }],
      ["POST", "/accounts", { platform: "bluesky", sandbox: true, name: "Mass" }],
      ["POST", "/tokens", { name: "Mass" }],
    ];
    for (const [method, path, json] of bodies) {
      if (path === "/tokens" && field === "teamId") continue;
      const answer = await harness.call(method, path, { token, json: { ...json, [field]: value } });
      expect([answer.status, path]).toEqual([400, path]);
    }
  });

  test("are ignored in a form", async () => {
    const accountId = await connectSandbox(harness, owner, "Mass");
    const created = await harness.call("POST", "/upload", {
      token: owner.token,
      body: form({
        accountId,
        description: "Hello",
        id: "1",
        teamId: String(victim.teamId),
        team_id: String(victim.teamId),
        createdBy: "1",
        uploadedAt: "2020-01-01T00:00:00Z",
        attempt: "9",
        fence: "9",
        metadata: '{"videoId":"x"}',
        approvedHash: "x",
        xCredits: "1",
      }),
    });
    expect(created.status).toBe(200);
    const row = await env.DB.prepare("SELECT * FROM uploads WHERE id = ?")
      .bind(created.body.data.uploadId)
      .first();
    expect(row).toMatchObject({
      team_id: owner.teamId,
      created_by: owner.userId,
      status: "pending",
      uploaded_at: null,
      attempt: 1,
      fence: 0,
      metadata: null,
      approved_hash: null,
    });
  });
});
