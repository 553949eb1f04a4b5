import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { PLATFORMS, type Platform } from "../../../src/core/platforms.ts";
import { sqlQuery } from "../../../src/db/client.ts";
import { rowReader } from "../../../src/db/rows.ts";
import { accounts } from "../../../src/features/accounts/table.ts";
import {
  openCredentials,
  platformFetch,
  toPublishAccount,
} from "../../../src/features/logins/platform-access.ts";
import { connectorOf } from "../../../src/platforms/registry.ts";
import { createMember, Harness } from "../../support/harness.ts";

const readAccount = rowReader(accounts);

async function rowOf({ deps }: Harness, id: string) {
  const [[account]] = await deps.db.run([
    sqlQuery(sql`SELECT * FROM ${accounts} WHERE id = ${id}`, readAccount),
  ]);
  if (!account) throw new Error("There is no such account.");
  return account;
}

/** Renews the stored login, then asks the platform for its identity. */
async function useLogin(harness: Harness, accountId: string): Promise<string> {
  const account = await rowOf(harness, accountId);
  const connector = connectorOf(account.platform);
  const fetch = platformFetch(harness.deps, account);
  const login = await openCredentials(harness.deps, account);
  const renewed = await connector.refresh(fetch, login, toPublishAccount(account), null);
  if (!renewed.ok) throw new Error(renewed.error.message);
  const { service } = account;
  for (const credentials of [login, renewed.value]) {
    const owner = await connector.identify(fetch, credentials, { service, pageId: null });
    if (!owner.ok) throw new Error(owner.error.message);
    expect(owner.value.profile.platformAccountId).toBe(account.platformAccountId);
  }
  return account.platformAccountId;
}

test.each<[Platform]>(PLATFORMS.map((platform) => [platform]))(
  "a sandbox account of %s that was disconnected is connected again under its name",
  async (platform) => {
    const harness = new Harness();
    const { token } = await createMember();
    const json = { platform, sandbox: true, name: "Ada / 100% Ünder" };
    const connect = async () => {
      const answer = await harness.call("POST", "/accounts", { token, json });
      expect(answer).toMatchObject({ status: 200, body: { data: { accountName: json.name } } });
      return answer.body.data.id as string;
    };

    const owners = new Set<string>();
    for (let round = 0; round < 3; round++) {
      const id = await connect();
      owners.add(await useLogin(harness, id));
      expect(await harness.call("DELETE", `/accounts/${id}`, { token })).toMatchObject({
        status: 200,
      });
      await harness.settle();
    }
    expect(harness.logs).not.toContainEqual(
      expect.objectContaining({ event: "account.revoke_failed" }),
    );
    expect([...owners]).toHaveLength(1);
  },
);
