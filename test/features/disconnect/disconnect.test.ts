import { beforeEach, expect, test } from "vitest";
import { createMember, type Harness, harnessWith, type Member } from "../../support/harness.ts";
import { Browser } from "../../support/person.ts";

const app = { clientId: "id", clientSecret: "secret" };

let harness: Harness;
let owner: Member;
/** Tokens that were revoked at a platform. */
let revoked: (string | null)[];

beforeEach(async () => {
  harness = harnessWith({ appKeys: { youtube: app, linkedin: app, instagram: app } });
  owner = await createMember();
  revoked = [];
  harness.network = async (input, init) => {
    const request = new Request(input, init);
    const { pathname } = new URL(request.url);
    const name = request.headers.get("authorization")?.replace("Bearer ", "") ?? "";
    if (pathname.endsWith("/revoke")) {
      revoked.push(new URLSearchParams(await request.text()).get("token"));
      return Response.json({});
    }
    if (pathname.endsWith("/v2/userinfo")) return Response.json({ sub: name, name });
    return Response.json({ items: [{ id: `UC${name}`, snippet: { title: name } }] });
  };
});

/** Connects a live account. The token names its owner. */
async function connect(platform: string, accessToken: string): Promise<string> {
  const json = { platform, credentials: { accessToken } };
  const { body } = await harness.call("POST", "/accounts", { token: owner.token, json });
  expect(body, JSON.stringify(body)).toMatchObject({ success: true });
  return body.data.id;
}

async function disconnect(id: string): Promise<void> {
  const { status } = await harness.call("DELETE", `/accounts/${id}`, { token: owner.token });
  expect(status).toBe(200);
  await harness.settle();
}

test("of two channels, which one person may have given, the last alone is revoked", async () => {
  const [first, second] = [await connect("youtube", "ada"), await connect("youtube", "bob")];
  await disconnect(first);
  expect(revoked).toEqual([]);
  await disconnect(second);
  expect(revoked).toEqual(["bob"]);
});

test("of two channels that are disconnected at once, one is revoked", async () => {
  const ids = [await connect("youtube", "ada"), await connect("youtube", "bob")];
  await Promise.all(ids.map(disconnect));
  expect(revoked).toHaveLength(1);
});

test("a channel of another team does not count", async () => {
  const first = await connect("youtube", "ada");
  const { token } = owner;
  owner = await createMember();
  await connect("youtube", "bob");
  owner = { ...owner, token };
  await disconnect(first);
  expect(revoked).toEqual(["ada"]);
});

test("the logins of two LinkedIn members are revoked one by one", async () => {
  const [first, second] = [await connect("linkedin", "ada"), await connect("linkedin", "bob")];
  await disconnect(first);
  await disconnect(second);
  expect(revoked).toEqual(["ada", "bob"]);
});

test("the page that asks once more says what becomes of the login", async () => {
  const browser = await new Browser(harness).signIn(owner);
  const first = await connect("youtube", "ada");
  const read = async (id: string) => (await browser.get(`/app/accounts/${id}/remove`)).html;
  expect(await read(first)).toContain("The login at YouTube is revoked and forgotten here.");
  await connect("youtube", "bob");
  expect(await read(first)).toContain("It is not revoked at YouTube: that could end the login");
  const json = { platform: "pinterest", sandbox: true };
  const { body } = await harness.call("POST", "/accounts", { token: owner.token, json });
  const html = await read(body.data.id);
  expect(html).toContain("The login is forgotten here.");
  expect(html).toContain("use Pinterest&#39;s own settings");
});
