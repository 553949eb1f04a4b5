import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { SCOPES } from "../../src/core/scopes.ts";
import { createApiOf } from "../../src/doors/api.ts";
import {
  MAX_DESCRIPTION_CHARACTERS,
  MAX_FIELD_CHARACTERS,
  MAX_TITLE_CHARACTERS,
  MAX_URL_CHARACTERS,
} from "../../src/features/content/bounds.ts";
import { apiRoute, createRouter, formRoute, json, jsonBody } from "../../src/http/route.ts";
import { connectors } from "../../src/platforms/registry.ts";
import { createMember, createToken, form, Harness, joinTeam } from "../support/harness.ts";
import { callAs, permissionsOf } from "../support/permission-call.ts";
import type { Sent } from "../support/permission-table.ts";
import { type Holder, PlantedTeam } from "../support/permission-team.ts";
import {
  allOperationsOf,
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
const allOperations = allOperationsOf(document);
const named = operations.map((operation) => [`${operation.method} ${operation.called}`, operation]);
const everyOperation = named as [string, Operation][];
/** Makes what has the name, in the caller's own team. */
const MAKES_BY_NAME = "PUT /blocks/{name}";
const withId = everyOperation.filter(([name]) => name.includes("{") && name !== MAKES_BY_NAME);

/** Operations that need no token: they have tests of their own. */
const OPEN = ["getConnectionInvite"];

/** Returns the same call with ids that nobody has. */
const ofNothing = ({ params = {}, ...sent }: Sent): Sent => ({
  ...sent,
  params: Object.fromEntries(
    Object.entries(params).map(([name, id]) => [
      name,
      id.startsWith("acc_") ? "acc_0000000000000000" : "999999999",
    ]),
  ),
});

/** A call that the owner of the team may make. */
async function validCall(operation: Operation, team: PlantedTeam): Promise<Sent> {
  const [permission] = permissionsOf(operation);
  if (!permission) throw new Error(`${operation.called} is not in the table of permissions.`);
  return permission.call(team, team.owner);
}

let home: PlantedTeam;
let owner: Holder;

beforeAll(async () => {
  home = await PlantedTeam.make(harness);
  owner = home.owner;
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

/** Fields that the refusals of one operation have beside those of all. Source: spec, "Errors". */
const OWN_REFUSALS: Record<string, Record<number, string[]>> = {
  presignFiles: { 400: ["limits"], 403: ["usage"], 429: ["retryAfter"] },
};

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
      const byProgram = scope === "*" ? [] : [{ oauth: [scope] }];
      expect(spec.security).toEqual([{ apiKey: [] }, ...byProgram]);
      expect(Object.keys(spec.responses)).toEqual(
        expect.arrayContaining(["200", "400", "401", "403", "429"]),
      );
      for (const response of Object.values<{ description: string; content: object }>(
        spec.responses,
      )) {
        expect(response.description).toBeTruthy();
        expect(Object.keys(response.content)[0]).toMatch(
          /^(application\/(json|x-ndjson)|image\/svg\+xml)$/,
        );
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

  test("asks for a token everywhere else than in a few places", () => {
    const open = allOperations.filter(({ scope }) => scope === undefined);
    expect(open.map(({ spec }) => spec.operationId)).toEqual(OPEN);
    for (const { spec } of open) {
      expect(spec.security).toEqual([]);
      expect(Object.keys(spec.responses)).not.toContain("401");
    }
  });

  test.each(everyOperation)("tells all that a refusal of %s can hold", (_, operation) => {
    const fieldsOf = (status: number) =>
      Object.keys(answerSchema(document, operation, status).properties);
    const always = ["success", "error", "code"];
    const own = OWN_REFUSALS[operation.spec.operationId] ?? {};
    expect(fieldsOf(400)).toEqual([
      ...always,
      "errors",
      "message",
      "violations",
      ...(own[400] ?? []),
    ]);
    expect(fieldsOf(401)).toEqual(always);
    expect(fieldsOf(403)).toEqual([...always, "requiredScope", ...(own[403] ?? [])]);
    expect(fieldsOf(429)).toEqual([...always, "message", "violations", ...(own[429] ?? [])]);
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
      "POST /pools/{id}/videos",
      "POST /pools/{id}/videos/bulk",
      "POST /short-links",
      "POST /upload",
      "POST /upload/bulk",
      "POST /upload/presign",
      "POST /upload/{id}/retry",
      "POST /webhooks",
    ]);
    for (const { spec } of takingKeys) {
      expect(spec.responses[200].headers).toHaveProperty("Idempotent-Replayed");
      for (const code of ["IDEMPOTENCY_IN_PROGRESS", "QUEUE_BUSY"]) {
        expect(spec.responses[409].description).toContain(code);
      }
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
      for (const [field, { description }] of Object.entries(settings.infos)) {
        expect(properties[field].description).toContain(`**${platform}**: ${description}`);
      }
    }
  });

  /** The operations that the API answers with the routers that a path needs, or with all. */
  async function routedOperations(path?: string): Promise<string[]> {
    const { routes } = await harness.api(path);
    const routed = routes
      .filter(({ method, path }) => method !== "ALL" && path.startsWith("/api/v1"))
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`)
      .filter((route) => route !== "GET /api/v1/openapi.json");
    return [...new Set(routed)];
  }

  test("and the router agree on every path and method", async () => {
    const documented = allOperations.map(({ method, path }) => `${method} ${path}`);
    expect((await routedOperations()).sort()).toEqual(documented.sort());
  });

  /** A path that is called for either pattern may be called for the other. */
  const mayBeOne = (one: string, other: string): boolean => {
    const [ours, theirs] = [one.split("/"), other.split("/")];
    return (
      ours.length === theirs.length &&
      ours.every((part, i) => part === theirs[i] || /^\{/.test(part) || /^\{/.test(theirs[i] ?? ""))
    );
  };

  test.each([...new Set(allOperations.map(({ path }) => path))])(
    "and what is loaded for %s agree on all that may answer there, and its order",
    async (path) => {
      const rivals = (operations: string[]) =>
        operations.filter((operation) => mayBeOne(path, operation.split(" ")[1] ?? ""));
      const all = rivals(await routedOperations());
      const methods = allOperations.filter((one) => one.path === path).map(({ method }) => method);
      expect(all).toEqual(expect.arrayContaining(methods.map((method) => `${method} ${path}`)));
      // A pattern is also called with what another path has in its place.
      const isPattern = path.includes("{");
      const loaded = rivals(await routedOperations(path));
      expect(loaded).toEqual(isPattern ? all.filter((one) => loaded.includes(one)) : all);
      for (const method of methods) expect(loaded).toContain(`${method} ${path}`);
    },
  );

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

test.each(everyOperation)("%s has the headers of every answer, refused or not", async (_, one) => {
  const sent = ofNothing(await validCall(one, home));
  for (const token of [owner.token, ""]) {
    const { headers } = await callAs(harness, { token, headers: {} }, one, sent);
    expect(headers.get("cache-control")).toBe("private, no-store");
    expect(headers.get("x-request-id")).toMatch(/^[0-9a-f]{16}$/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("content-type")).toMatch(/^(application\/(json|x-ndjson)|image\/svg\+xml)$/);
    expect(headers.get("access-control-allow-origin")).toBe("*");
  }
});

test.each(withId)("%s tells of another team's things as of what does not exist", async (_, one) => {
  const sent = await validCall(one, home);
  const { token } = await createMember();
  const stranger = { token, headers: {} };
  const foreign = await callAs(harness, stranger, one, sent);
  const absent = await callAs(harness, stranger, one, ofNothing(sent));
  // Source: spec, "Errors".
  if (["/pools/", "/analytics/"].some((beginning) => one.called.startsWith(beginning))) {
    expect([foreign.status, foreign.body.code]).toEqual([403, "FORBIDDEN"]);
    expect([absent.status, absent.body.code]).toEqual([404, "NOT_FOUND"]);
    return;
  }
  expect(foreign.status).toBe(404);
  expect(Object.keys(foreign.body).sort()).toEqual(["code", "error", "success"]);
  expect(foreign.body).toEqual(absent.body);
});

describe("a text that is longer than the document allows", () => {
  test.each([
    ["title", MAX_TITLE_CHARACTERS],
    ["description", MAX_DESCRIPTION_CHARACTERS],
  ])("is refused as %s, whatever the post is", async (field, max) => {
    const { token } = owner;
    const accountId = await home.account();
    const draft = (text: string) =>
      harness.call("POST", "/upload", {
        token,
        body: form({ accountId, status: "draft", description: "Hello", [field]: text }),
      });
    const refused = { field, message: expect.stringContaining("must have at most") };
    for (const character of ["x", "😀"]) {
      const drafted = await draft(character.repeat(max + 1));
      expect(drafted.status).toBe(400);
      expect(drafted.body.errors).toContainEqual(refused);
    }
    const created = await draft("Hello");
    const json = { [field]: "x".repeat(max + 1) };
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
    formRoute({ ...forget, path: "/form", form: () => z.object({ a: z.string() }) }),
  ]) {
    router.openapi(route, (c) => {
      handled++;
      return c.json(secret, 200, { "X-Secret": "too" });
    });
  }
  router.get("/undeclared", (c) => c.json(secret));
  const api = createApiOf(() => harness.deps, { open: [], behindToken: [router] });
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

const everyPath = [...new Set(allOperations.map(({ called }) => called))];

describe.each(everyPath)("%s", (called) => {
  const allowed = allOperations.filter((one) => one.called === called).map(({ method }) => method);
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
  "/constructor",
  "/__proto__/upload",
])("%s is an unknown path: 404 in the envelope", async (path) => {
  const answer = await harness.call("GET", path, { token: owner.token });
  expect(answer).toMatchObject({ status: 404, body: { success: false, code: "NOT_FOUND" } });
  expect(answer.headers.get("cache-control")).toBe("private, no-store");
  expect(answer.headers.get("x-request-id")).toBeTruthy();
});

test.each(["X-HTTP-Method-Override", "X-Method-Override", "X-HTTP-Method"])(
  "%s changes no method",
  async (header) => {
    const account = `/accounts/${await home.account()}`;
    const { token } = owner;
    const answer = await harness.call("GET", account, { token, headers: { [header]: "DELETE" } });
    expect(answer.status).toBe(200);
    expect((await harness.call("GET", account, { token })).status).toBe(200);
  },
);

test("a colleague's token is not listed and not revoked by another member of the team", async () => {
  const colleague = await createMember();
  await joinTeam(home.teamId, colleague.userId, "ADMIN");
  const token = await createToken(colleague.userId, { teamId: home.teamId });
  const listed = await harness.call("GET", "/tokens", { token });
  expect(listed.body.data).toHaveLength(1);
  const revoked = await harness.call("DELETE", `/tokens/${await home.token(owner)}`, { token });
  expect(revoked).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
});
