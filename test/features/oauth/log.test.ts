import { expect, test } from "vitest";
import { send } from "../../support/agent.ts";
import { createMember, harnessWith } from "../../support/harness.ts";
import { Browser } from "../../support/person.ts";
import { Program } from "../../support/program.ts";

test("each step of a sign-in is one line, with the reason of a refusal and without secrets", async () => {
  const harness = harnessWith({ publicUrl: "https://akimbo.test" });
  const browser = await new Browser(harness).signIn(await createMember());
  await send(harness, "tools/list");
  const program = await new Program(harness).register({
    token_endpoint_auth_method: "client_secret_post",
  });
  const own = { client_secret: program.secret ?? "" };
  const code = await program.code(browser, { state: "secret-state" });
  expect((await program.exchange(code, { client_secret: "kms_wrong" })).status).toBe(401);
  const { body } = await program.exchange(code, own);
  await program.refresh(body.refresh_token, own);
  const revoked = { token: body.access_token, client_id: program.clientId, ...own };
  await program.post("/revoke", revoked);
  await program.refresh(body.refresh_token, own);

  const lines = harness.logs.filter((line) => "event" in line && line.event === "oauth");
  const steps = lines.map((line) => {
    const { step, outcome, reason } = line as Record<string, string>;
    return [step, outcome, reason].join(" ").trim();
  });
  expect(steps).toEqual([
    "challenge refused no_token",
    "register done",
    "authorize shown",
    "consent done",
    "code refused secret_wrong",
    "code done",
    "refresh done",
    "revoke done",
    "refresh refused grant_ended",
  ]);
  const text = JSON.stringify(harness.logs);
  const secrets = [code, body.access_token, body.refresh_token, own.client_secret, "secret-state"];
  for (const secret of secrets) expect(text).not.toContain(secret);
});
