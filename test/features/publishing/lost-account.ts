import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { Platform } from "../../../src/core/platforms.ts";
import { ROWS } from "../../platforms/rows.ts";
import { finish, openStage } from "../../support/stage.ts";

export async function onStage(platform: Platform) {
  const row = ROWS.find((one) => one.platform === platform);
  const [kind] = Object.values(row?.kinds ?? {});
  const stage = await openStage(platform, row);
  const { token } = stage.member;
  const fieldsOf = (text: string) => kind?.fields(text) ?? {};
  return {
    ...stage,
    send: (text: string) => stage.send(fieldsOf(text)),
    post: async (text: string) => {
      const id = await stage.post(fieldsOf(text));
      await finish(stage);
      return { id, ...(await stage.read(id)) };
    },
    retry: (id: number) => stage.harness.call("POST", `/upload/${id}/retry`, { token }),
  };
}

const INACTIVE = { status: 409, body: { code: "ACCOUNT_INACTIVE" } };

export async function expectExpired(platform: Platform): Promise<void> {
  const stage = await onStage(platform);
  const lost = await stage.post("Lost [sandbox:account_disconnected]");
  expect(lost).toMatchObject({
    status: "failed",
    failure: { code: "account_disconnected", nextAction: "reconnect_account" },
  });
  expect(await stage.readAccount()).toMatchObject({ status: "expired", failureCount: 1 });
  expect((await stage.events()).sort()).toEqual([
    "connected_account.connected",
    "connected_account.expired",
    "upload.failed",
  ]);
  expect(await stage.retry(lost.id)).toMatchObject(INACTIVE);
  expect(await stage.send("Again")).toMatchObject(INACTIVE);

  // Were it taken for active by mistake, its platform would know better.
  await env.DB.prepare("UPDATE accounts SET status = 'active' WHERE id = ?")
    .bind(stage.accountId)
    .run();
  const refused = await stage.post("Later");
  expect(refused).toMatchObject({ failure: { code: "account_disconnected" } });
  expect(await stage.readAccount()).toMatchObject({ status: "expired", failureCount: 2 });

  await stage.connect();
  expect(await stage.readAccount()).toMatchObject({ status: "active", failureCount: 0 });
  expect(await stage.post("Back")).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toHaveLength(1);
}
