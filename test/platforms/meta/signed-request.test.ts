import { expect, test } from "vitest";
import { read } from "../../../src/platforms/meta/signed-request.ts";
import { signedRequest } from "../../support/signed-request.ts";

const SECRET = "app secret";
const PAYLOAD = { algorithm: "HMAC-SHA256", issued_at: 1_796_115_600, user_id: "218471" };
const AT = new Date("2026-12-01T09:00:00.000Z");

const reading = (signed_request: string) =>
  read({ headers: new Headers(), body: `${new URLSearchParams({ signed_request })}` }, SECRET);

test.each<[string, object | string, string | null, Date | null]>([
  ["a text id", PAYLOAD, "218471", AT],
  ["an end that is 0", { ...PAYLOAD, expires: 0 }, "218471", AT],
  [
    "a number beyond what a number holds exactly",
    '{"user_id":17841405793187218,"algorithm":"HMAC-SHA256","issued_at":1796115600}',
    "17841405793187218",
    AT,
  ],
  ["no moment", { ...PAYLOAD, issued_at: undefined }, "218471", null],
  ["no person", { ...PAYLOAD, user_id: undefined }, null, AT],
])("reads %s", async (_, payload, platformUserId, at) => {
  expect(await reading(await signedRequest(SECRET, payload))).toEqual({ platformUserId, at });
});

test.each<[string, () => Promise<string> | string]>([
  ["another secret", () => signedRequest("another", PAYLOAD)],
  ["another algorithm", () => signedRequest(SECRET, { ...PAYLOAD, algorithm: "none" })],
  ["no JSON", () => signedRequest(SECRET, "[")],
  ["nothing", () => ""],
  ["no payload", async () => (await signedRequest(SECRET, PAYLOAD)).split(".")[0] ?? ""],
  ["no signature", async () => `.${(await signedRequest(SECRET, PAYLOAD)).split(".")[1]}`],
  ["a third part", async () => `${await signedRequest(SECRET, PAYLOAD)}.x`],
  ["half a signature", async () => (await signedRequest(SECRET, PAYLOAD)).slice(20)],
  ["what is not base64url", () => "a b.c d"],
  ["a length that base64 does not have", () => "a.b"],
])("refuses %s", async (_, request) => {
  expect(await reading(await request())).toBeNull();
});

test("refuses a payload that was changed", async () => {
  const [signature] = (await signedRequest(SECRET, PAYLOAD)).split(".");
  const [, text] = (await signedRequest("x", { ...PAYLOAD, user_id: "1" })).split(".");
  expect(await reading(`${signature}.${text}`)).toBeNull();
});
