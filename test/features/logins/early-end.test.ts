import { expect, test } from "vitest";
import { createMember, Harness } from "../../support/harness.ts";

const DAY_SECONDS = 86_400;

/** A login of a real platform, which ends it after these days. */
async function endAfter(days: number, platform: string, description = "Gone") {
  const harness = new Harness();
  const { token } = await createMember();
  harness.network = async (input) => {
    const { url } = new Request(input);
    if (url.includes("oauth")) {
      const error = { error: "invalid_grant", error_description: description };
      return Response.json(error, { status: 400 });
    }
    if (platform === "tiktok") {
      const user = { open_id: "open-1", display_name: "Ada" };
      return Response.json({ data: { user }, error: { code: "ok", message: "", log_id: "l" } });
    }
    return Response.json({ items: [{ id: "UC1", snippet: { title: "Ada" } }] });
  };
  const expiresAt = new Date(harness.deps.now().getTime() + 3_600_000).toISOString();
  const credentials = { accessToken: "first", refreshToken: "renewer", expiresAt };
  const json = { platform, credentials };
  const connected = await harness.call("POST", "/accounts", { token, json });
  expect(connected.status, JSON.stringify(connected.body)).toBeLessThan(300);
  const { id } = connected.body.data;
  harness.advance(days * DAY_SECONDS);
  const { body } = await harness.call("POST", `/analytics/${id}/sync`, { token });
  const events = (await harness.call("GET", "/events", { token })).body.data;
  const ended = events.find(({ event }: { event: string }) => event.endsWith(".expired"));
  return { syncErrors: JSON.stringify(body.data.syncErrors), reason: ended?.data.reason };
}

test("a login of YouTube that ends after a week says what Google does, and what to do", async () => {
  const { syncErrors, reason } = await endAfter(7.1, "youtube");
  expect(reason).toMatch(
    /^Gone\. Google ends logins .*"Testing" after seven days\..* has to publish/,
  );
  expect(reason).toContain("connect the account again");
  expect(syncErrors).toContain("after seven days");
});

test.each([
  ["of YouTube that ends later", 8.1, "youtube"],
  ["of another platform", 7.1, "tiktok"],
])("a login %s is told in the platform's words alone", async (_, days, platform) => {
  expect((await endAfter(days, platform, "It is over.")).reason).toBe("It is over.");
});
