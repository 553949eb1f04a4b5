import { expect, test } from "vitest";
import { createMember, Harness } from "../../support/harness.ts";
import { Browser } from "../../support/person.ts";

test("the front page leads a stranger to the sign-in, and a person who is signed in to their pages", async () => {
  const harness = new Harness();
  const browser = new Browser(harness);
  const front = await browser.get("/");
  expect(front.status).toBe(200);
  expect(front.html).toContain('href="/sign-in"');
  await browser.signIn(await createMember());
  expect(await browser.get("/")).toMatchObject({ status: 303, location: "/app" });
});

test("programs get JSON at the root, whoever is signed in; a forged cookie leads nowhere", async () => {
  const harness = new Harness();
  const browser = await new Browser(harness).signIn(await createMember());
  const page = await browser.send("/", { headers: { accept: "application/json" } });
  expect(page.status).toBe(200);
  expect(JSON.parse(page.html).data.name).toBe("Akimbo");
  const cookie = `__Secure-akimbo.session_token=${"x".repeat(32)}.${"A".repeat(43)}%3D`;
  expect((await harness.request("/", { headers: { cookie } })).status).toBe(200);
});
