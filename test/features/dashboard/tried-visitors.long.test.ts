import { test } from "vitest";
import { createMember, harnessWith } from "../../support/harness.ts";
import { LinkPages } from "../../support/link-pages.ts";
import { Browser } from "../../support/person.ts";
import { compareVisitors } from "./tried-visitors.ts";

test("2,000 visitors who are tried go where real ones go", async () => {
  const harness = harnessWith({ publicUrl: "https://akimbo.test" });
  const member = await createMember();
  const browser = await new Browser(harness).signIn(member);
  const links = new LinkPages(harness, browser, member.token);
  await compareVisitors(2_000, harness, browser, links);
}, 240_000);
