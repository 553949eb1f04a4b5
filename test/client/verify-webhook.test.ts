import { describe, expect, test } from "vitest";
import { InvalidWebhook, verifyWebhook } from "../../src/client/verify-webhook.ts";
import { hmacKey } from "../../src/core/signature.ts";
import { deliveryRequest } from "../../src/features/webhooks/send.ts";
import vectors from "./webhook-vectors.json" with { type: "json" };

/** The test of the Python client reads the same file. */
const { cases } = vectors;
const now = vectors.now * 1_000;

describe("verifyWebhook", () => {
  for (const { what, headers, body, secret, isValid } of cases) {
    test(`${isValid ? "takes" : "refuses"} ${what}`, async () => {
      const check = verifyWebhook(body, headers, secret, { now });
      if (isValid) expect(await check).toMatchObject({ event: "upload.completed" });
      else await expect(check).rejects.toThrow(InvalidWebhook);
    });
  }

  test("takes what the service signs, as bytes and with the headers of a Request", async () => {
    const payload = '{"id":"evt_1","event":"upload.failed","createdAt":"","data":{}}';
    const key = await hmacKey("whsec_of_a_team");
    const sent = { key, event: "upload.failed", eventId: "evt_1", payload };
    const { headers } = await deliveryRequest({ now: () => new Date(now) }, sent);
    const body = new TextEncoder().encode(payload);
    const event = await verifyWebhook(body, new Headers(headers), "whsec_of_a_team", { now });
    expect(event.id).toBe("evt_1");
    const late = { now: now + 61_000, toleranceSeconds: 60 };
    await expect(
      verifyWebhook(body, new Headers(headers), "whsec_of_a_team", late),
    ).rejects.toThrow("more than 60 seconds old");
  });
});
