import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { createApiOf } from "../../src/doors/api.ts";
import { resultOf } from "../../src/http/named-call.ts";
import { apiRoute, createRouter, json } from "../../src/http/route.ts";
import { createMember, Harness, type Member } from "../support/harness.ts";

const harness = new Harness();
const router = createRouter();
const route = {
  method: "post",
  scope: "posts:write",
  limit: "write",
  responses: json(z.object({ route: z.string().nullable() }), "A toy."),
} as const;

const shared = apiRoute({ ...route, path: "/toys/{id}/shared", idempotencyKeysOf: "operation" });
router.openapi(shared, (c) => c.json({ route: c.var.readCall()?.route ?? null }, 200));
const own = apiRoute({ ...route, path: "/toys/{id}/own", idempotencyKeysOf: "path" });
router.openapi(own, (c) => {
  const call = c.var.readCall();
  const done = { result: call?.route ?? null, isReplayed: call?.key === "again" };
  return c.json({ route: resultOf(c, done) }, 200);
});
const forgetful = apiRoute({ ...route, path: "/toys/{id}/forgetful", idempotencyKeysOf: "path" });
router.openapi(forgetful, (c) => c.json({ route: null }, 200));
const undeclared = apiRoute({ ...route, path: "/toys/{id}/undeclared" });
router.openapi(undeclared, (c) => c.json({ route: c.var.readCall()?.route ?? null }, 200));

const api = createApiOf(() => harness.deps, { open: [], behindToken: [router] });
let member: Member;
beforeAll(async () => {
  member = await createMember();
});

async function call(path: string, key?: string, token = member.token) {
  const response = await api.request(`/api/v1/toys/${path}`, {
    method: "POST",
    headers: { "x-api-key": token, ...(key === undefined ? {} : { "idempotency-key": key }) },
  });
  const body = await response.json<{ route?: string; code?: string }>();
  return { status: response.status, body, replayed: response.headers.get("idempotent-replayed") };
}

describe("a call is named", () => {
  test.each([
    ["7/shared", "POST /toys/{id}/shared"],
    ["7/own", "POST /toys/7/own"],
    ["%37/own", "POST /toys/7/own"],
  ])("by the place of its route: %s", async (path, name) => {
    expect(await call(path, "a")).toMatchObject({ status: 200, body: { route: name } });
    expect(await call(path)).toMatchObject({ status: 200, body: { route: null }, replayed: null });
  });

  test("and told so where the answer is an earlier one", async () => {
    expect((await call("7/own", "once")).replayed).toBeNull();
    expect((await call("7/own", "again")).replayed).toBe("true");
  });

  test("by a key of 1 to 255 characters (400)", async () => {
    expect((await call("7/own", "k".repeat(255))).status).toBe(200);
    expect((await call("7/own", "k".repeat(256))).status).toBe(400);
    expect((await call("7/own", '""')).status).toBe(400);
  });
});

describe("a handler that forgets the name", () => {
  test("answers no call that has one: it would be carried out again", async () => {
    expect(await call("7/forgetful")).toMatchObject({ status: 200 });
    expect(await call("7/forgetful", "a")).toMatchObject({
      status: 500,
      body: { code: "INTERNAL" },
    });
    expect(await call("7/forgetful", "a", `kmb_${"c".repeat(64)}`)).toMatchObject({ status: 401 });
  });

  test("or asks for it where its route takes none, answers nothing", async () => {
    expect((await call("7/undeclared")).status).toBe(500);
  });
});
