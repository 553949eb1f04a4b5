import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { connectSandbox, createMember, form, Harness } from "../support/harness.ts";

test("probe", async () => {
  const harness = new Harness();
  const member = await createMember();
  const accountId = await connectSandbox(harness, member);
  for (const holder of [env.DB as any, (env.DB as any).alwaysPrimarySession]) {
    const F = holder.fetcher;
    console.log(Object.keys(holder), typeof F);
    holder.fetcher = { fetch: async (u: any, i: any) => { const r = await F.fetch(u, i); console.log(String(u), i?.body, (await r.clone().text()).slice(0, 600)); return r; } };
  }
  await env.DB.prepare("SELECT ?").bind(1).run();
  await env.DB.batch([env.DB.prepare("SELECT ?").bind("a"), env.DB.prepare("SELECT 2")]);
  const created = await harness.call("POST", "/upload", { token: member.token, body: form({ accountId, description: "x" }) });
  await harness.drain();
  expect(1).toBe(1);
});
