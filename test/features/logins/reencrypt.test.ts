import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { createCipher, type EncryptionKey } from "../../../src/core/encryption.ts";
import { createDeps } from "../../../src/deps.ts";
import { createMember, Harness, type Member } from "../../support/harness.ts";

const DAY_SECONDS = 86_400;

const key = (id: string, byte: number): EncryptionKey => ({
  id,
  bytes: new Uint8Array(32).fill(byte),
});
const OLD = key("old", 1);
const NEW = key("new", 2);

beforeEach(async () => {
  await env.DB.exec("DELETE FROM chores; DELETE FROM accounts;");
});

function withKeys(...encryptionKeys: EncryptionKey[]): Harness {
  const config = { ...createDeps(env).config, encryptionKeys };
  const harness = new Harness({ config, cipher: createCipher(encryptionKeys) });
  harness.network = async (input) => {
    const request = new Request(input);
    const token = request.headers.get("authorization")?.replace("Bearer ", "") ?? "";
    return Response.json({ did: `did:plc:${token}`, handle: "ada.example.com", active: true });
  };
  return harness;
}

async function connect(harness: Harness, { token }: Member, accessToken: string): Promise<string> {
  const { body } = await harness.call("POST", "/accounts", {
    token,
    json: {
      platform: "bluesky",
      service: "https://pds.example.com",
      credentials: { accessToken, refreshToken: `${accessToken}-refresh` },
    },
  });
  if (!body.data) throw new Error(JSON.stringify(body));
  return body.data.id;
}

const credentialsOf = (id: string) =>
  env.DB.prepare("SELECT credentials FROM accounts WHERE id = ?")
    .bind(id)
    .first<string>("credentials");

const keyOf = async (id: string) => (await credentialsOf(id))?.split(".")[1];

const remaining = (harness: Harness) =>
  harness.logs.flatMap((entry) => ("remaining" in entry ? [entry.remaining] : []));

test("a night after a new key came first, every login stands under it and works", async () => {
  const member = await createMember();
  const before = withKeys(OLD);
  const ids = [await connect(before, member, "ada"), await connect(before, member, "grace")];
  expect(await Promise.all(ids.map(keyOf))).toEqual(["old", "old"]);

  const during = withKeys(NEW, OLD);
  ids.push(await connect(during, member, "joan"));
  during.advance(DAY_SECONDS);
  await during.tick();
  expect(await Promise.all(ids.map(keyOf))).toEqual(["new", "new", "new"]);
  expect(remaining(during)).toEqual([0]);

  const after = withKeys(NEW);
  for (const [i, name] of ["ada", "grace", "joan"].entries()) {
    const opened = await after.deps.cipher.decrypt(
      (await credentialsOf(ids[i] ?? "")) ?? "",
      `${member.teamId}|${ids[i]}|bluesky|credentials`,
    );
    expect(JSON.parse(opened)).toMatchObject({
      accessToken: name,
      refreshToken: `${name}-refresh`,
    });
  }
});

test("with a single key, or all under the first, nothing is written", async () => {
  const member = await createMember();
  const id = await connect(withKeys(OLD), member, "ada");
  const before = await credentialsOf(id);
  for (const keys of [[OLD], [OLD, NEW]]) {
    await env.DB.exec("DELETE FROM chores");
    const harness = withKeys(...keys);
    await harness.tick();
    expect(await credentialsOf(id)).toBe(before);
  }
});

test("a login that is being refreshed is left to the refresh, and has its turn a night later", async () => {
  const member = await createMember();
  const id = await connect(withKeys(OLD), member, "ada");
  const harness = withKeys(NEW, OLD);
  const lease = harness.deps.now().getTime() + 60_000;
  await env.DB.prepare("UPDATE accounts SET refresh_lease_until = ? WHERE id = ?")
    .bind(lease, id)
    .run();
  await harness.tick();
  expect(await keyOf(id)).toBe("old");
  expect(remaining(harness)).toEqual([1]);
  // The refresh took longer than its lease, and still holds the only copy of the new token.
  harness.advance(61);
  await env.DB.exec("DELETE FROM chores");
  await harness.tick();
  expect(await keyOf(id)).toBe("old");

  harness.advance(DAY_SECONDS);
  await harness.tick();
  expect(await keyOf(id)).toBe("new");
  expect(remaining(harness)).toEqual([1, 1, 0]);
});

test("a refresh that ends between reading and writing is never overwritten", async () => {
  const member = await createMember();
  const id = await connect(withKeys(OLD), member, "ada");
  const harness = withKeys(NEW, OLD);
  const { cipher } = harness.deps;
  const rotated = await createCipher([OLD]).encrypt("the rotated login", "anywhere");
  harness.deps.cipher = {
    ...cipher,
    encrypt: async (...value) => {
      await env.DB.prepare("UPDATE accounts SET credentials = ? WHERE id = ?")
        .bind(rotated, id)
        .run();
      return cipher.encrypt(...value);
    },
  };
  await harness.tick();
  expect(await credentialsOf(id)).toBe(rotated);
});

test("one that no key opens is told, and holds up no other", async () => {
  const member = await createMember();
  const lost = await connect(withKeys(key("lost", 3)), member, "ada");
  const id = await connect(withKeys(OLD), member, "grace");
  const harness = withKeys(NEW, OLD);
  await harness.tick();
  expect(await keyOf(lost)).toBe("lost");
  expect(await keyOf(id)).toBe("new");
  expect(harness.logs).toContainEqual({ event: "login.unreadable", accountId: lost });
  expect(remaining(harness)).toEqual([1]);
});

test("very many logins are done page by page", async () => {
  const member = await createMember();
  const id = await connect(withKeys(OLD), member, "ada");
  const cipher = createCipher([OLD]);
  const rows = await Promise.all(
    Array.from({ length: 250 }, async (_, i) => {
      const other = `acc_many_${String(i).padStart(3, "0")}`;
      const place = `${member.teamId}|${other}|bluesky|credentials`;
      return { id: other, sealed: await cipher.encrypt("{}", place) };
    }),
  );
  await env.DB.prepare(
    `INSERT INTO accounts (id, team_id, platform, platform_account_id, account_name, mode, status,
        credentials, connected_at)
      SELECT value ->> 'id', ?, 'bluesky', value ->> 'id', 'One', 'live', 'active', value ->> 'sealed', 0
      FROM json_each(?)`,
  )
    .bind(member.teamId, JSON.stringify(rows))
    .run();
  const harness = withKeys(NEW, OLD);
  await harness.tick();
  expect(remaining(harness)).toEqual([0]);
  expect(await keyOf(id)).toBe("new");
});
