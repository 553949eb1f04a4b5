import { expect, test } from "vitest";
import { sendMail } from "../../../src/features/mail/service.ts";
import { Harness, harnessWith } from "../../support/harness.ts";
import { outbox } from "../../support/outbox.ts";

const MAIL = { to: "ada@example.com", subject: "Hello", text: "a secret link" };
const FROM = "akimbo@example.com";

test("a mail goes out through the binding, from the address that is set", async () => {
  const { mails, email } = outbox();
  const { deps, logs } = harnessWith({ emailFrom: FROM });
  expect(await sendMail({ ...deps, email }, MAIL)).toBe(true);
  expect(mails).toEqual([{ ...MAIL, from: FROM }]);
  expect(logs).toEqual([]);
});

test("a mail that is refused is logged without its text", async () => {
  const { email } = outbox("the sender is not verified");
  const { deps, logs } = harnessWith({ emailFrom: FROM });
  expect(await sendMail({ ...deps, email }, MAIL)).toBe(false);
  expect(logs).toMatchObject([
    { event: "mail.failed", error: expect.stringContaining("verified") },
  ]);
  expect(JSON.stringify(logs)).not.toContain("secret");
});

test("without a way out a mail is logged, its text only in development", async () => {
  const local = new Harness();
  expect(await sendMail(local.deps, MAIL)).toBe(false);
  expect(local.logs).toEqual([{ event: "mail.not_sent", ...MAIL }]);
  const deployed = harnessWith({ isDevelopment: false });
  expect(await sendMail(deployed.deps, MAIL)).toBe(false);
  expect(deployed.logs).toEqual([{ event: "mail.not_sent", subject: "Hello" }]);
});
