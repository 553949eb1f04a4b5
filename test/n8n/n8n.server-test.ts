import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Person } from "../conformance/person.ts";
import { registerApp } from "./app.ts";
import { flowsOf } from "./flows.ts";
import { installN8n, N8N_VERSION, N8n } from "./n8n.ts";
import { type NodePackage, packNode } from "./node-package.ts";
import { akimbo, byCall, CREDENTIAL, workflow } from "./workflows.ts";
import { BUSY_SECONDS, FILM_BYTES, World } from "./world.ts";

const ARRIVAL_MS = 20_000;
/** An OAuth token lasts an hour. */
const LONGER_THAN_A_TOKEN_SECONDS = 4_000;

let node: NodePackage;
let world: World;
let n8n: N8n;

before(async () => {
  node = await packNode();
  const seconds = await installN8n();
  const how = seconds === 0 ? "kept from an earlier run" : `installed in ${seconds} s`;
  console.log(`n8n ${N8N_VERSION}: ${how}`);
  world = await World.start();
  n8n = await N8n.create(node.path);
  await n8n.importAll("credentials", world.credentials());
  await n8n.importAll("workflow", flowsOf(world));
});

after(async () => {
  await n8n?.end();
  await world?.end();
});

test("n8n's own tools find nothing wrong, and the package holds the program alone", () => {
  assert.doesNotMatch(node.lint, /error|warning/i);
  assert.match(node.build, /Build successful/);
  const strays = node.files.filter((path) => !path.startsWith("dist/"));
  assert.deepEqual(strays.sort(), ["LICENSE.md", "README.md", "package.json"]);
});

test("a workflow runs headless, and its posts are in the sandbox", async () => {
  const output = await n8n.command("execute", "--id=akimbo-headless", "--rawOutput");
  const { resultData } = JSON.parse(output.slice(output.indexOf("\n{"))).data;
  assert.equal(resultData.error, undefined, JSON.stringify(resultData.error));
  const result = (name: string) => resultData.runData[name][0].data.main[0][0].json;

  const published = result("Published");
  assert.equal(published.status, "completed");
  assert.equal(published.hasEnded, true);
  assert.match(published.shareUrl, /^https:\/\/bsky\.app\/profile\//);
  assert.equal((await world.feed("From n8n, waited for")).length, 1);

  const planned = resultData.runData.Planned[0];
  assert.equal(result("Planned").status, "scheduled");
  assert.ok(planned.executionTime < 10_000, `It took ${planned.executionTime} ms.`);
  assert.equal(result("Read").status, "scheduled");

  assert.equal(result("Valid").valid, false);
  assert.match(result("Valid").errors[0].error, /300/);

  const [pictured] = await world.feed("From n8n, with a picture");
  assert.equal(pictured?.media[0]?.kind, "image");
  assert.equal((await world.feed("The second")).length, 1);
  assert.match(result("Stored").mediaId, /^[0-9a-f]{64}$/);
  assert.equal(result("Stored").kept, true);
  assert.equal(result("Queued").status, "queued");
  assert.equal(result("Queue").title, "From n8n, in a pool");
  assert.match(result("Link").shortUrl, /from-n8n$/);
  assert.equal(result("Figures").accountCount, world.accounts.size);

  assert.equal(result("Film published").status, "completed");
  const [film] = await world.feed("A film from n8n");
  assert.equal(film?.platform, "youtube");
  assert.equal(film?.media[0]?.sizeBytes, FILM_BYTES);
});

/** Starts a workflow by its call, and answers what its last step returns. */
async function call(path: string, input: object = {}) {
  const response = await fetch(`${n8n.origin}/webhook/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(input),
  });
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the workflow returns
  return { status: response.status, body: (await response.json()) as any };
}

async function eventually<T>(read: () => T | Promise<T>, isThere: (value: T) => boolean) {
  const deadline = Date.now() + ARRIVAL_MS;
  for (;;) {
    const value = await read();
    if (isThere(value) || Date.now() > deadline) return value;
    await sleep(200);
  }
}

test("a running n8n", async (t) => {
  await n8n.start();

  await t.test("what was half done is repeated without doubles", async () => {
    const wasSaid = async (id: number | undefined) =>
      /\d of 2 accounts did not take the post/.exec(await n8n.dataOf(id))?.[0];
    await n8n.activate("akimbo-repeated");
    assert.equal((await call("repeated")).status, 500);
    const [failed] = n8n.executions("akimbo-repeated");
    assert.equal(failed?.status, "error");
    // n8n tried twice: the second time, Akimbo answered for the first account as before.
    assert.equal(await wasSaid(failed?.id), "1 of 2 accounts did not take the post");
    await n8n.rest("POST", `/executions/${failed?.id}/retry`, {});
    const retried = await eventually(
      () => n8n.executions("akimbo-repeated").find(({ mode }) => mode === "retry"),
      (one) => one?.status === "error",
    );
    assert.equal(await wasSaid(retried?.id), "1 of 2 accounts did not take the post");
    // A new execution means another post, which Akimbo refuses as a duplicate.
    assert.equal((await call("repeated")).status, 500);
    const renewed = n8n.executions("akimbo-repeated").at(-1);
    assert.equal(await wasSaid(renewed?.id), "2 of 2 accounts did not take the post");
    assert.equal((await world.feed("From n8n, half of it")).length, 1);
  });

  await t.test("each item and each round of a loop makes a post of its own", async () => {
    await n8n.activate("akimbo-looping");
    const texts = ["An apple", "Two pears", "Bread and salt"].map((text) => `In a loop: ${text}`);
    await call("looping", { texts });
    const posts = await eventually(
      () => world.feed("In a loop"),
      (all) => all.length === texts.length,
    );
    assert.deepEqual(posts.map(({ text }) => text).sort(), texts.sort());
  });

  await t.test("the credential is tested, and fills the list of accounts", async () => {
    const judge = async (data: object) => {
      const credentials = { id: CREDENTIAL, name: CREDENTIAL, type: "akimboApi", data };
      return (await n8n.rest("POST", "/credentials/test", { credentials })).status;
    };
    assert.equal(
      await judge({ baseUrl: `${world.service.origin}/api/v1/`, token: world.service.token }),
      "OK",
    );
    assert.equal(await judge({ baseUrl: world.service.origin, token: "kmb_wrong" }), "Error");
    const list = await n8n.rest("POST", "/dynamic-node-parameters/options", {
      nodeTypeAndVersion: { name: "n8n-nodes-akimbo.akimbo", version: 1 },
      path: "parameters.accountIds",
      methodName: "getAccounts",
      currentNodeParameters: { authentication: "accessToken" },
      credentials: { akimboApi: { id: CREDENTIAL, name: CREDENTIAL } },
    });
    assert.ok(
      list.some(({ name }: { name: string }) => name === "Demo (bluesky)"),
      String(list),
    );
  });

  await t.test("a failed post makes the node fail, with the platform's words", async () => {
    await n8n.activate("akimbo-failing");
    const { body } = await call("failing");
    assert.match(body[0].error, /was not published on bluesky: Rate Limit Exceeded/);
    assert.match(body[0].description, /Retry the post later/);
  });

  await t.test("an instance that is too old is told", async () => {
    await n8n.activate("akimbo-older");
    const { body } = await call("older");
    assert.equal(
      body[0].error,
      `The instance at ${world.older.origin} does not have GET /api/v1/media`,
    );
    assert.match(body[0].description, /Upgrade the instance/);
  });

  await t.test("at its limit of calls, an instance is asked again when it says", async () => {
    await n8n.activate("akimbo-busy");
    const startedAt = Date.now();
    const { body } = await call("busy");
    assert.equal(body.length, world.accounts.size, JSON.stringify(body));
    assert.ok(Date.now() - startedAt >= BUSY_SECONDS * 1000);
  });

  await t.test("without a key for the storage, a film goes in the call", async () => {
    await n8n.activate("akimbo-keyless");
    const { body } = await call("keyless");
    assert.equal(body[0]?.sizeBytes, FILM_BYTES, JSON.stringify(body));
  });

  await t.test("a wrong token is told", async () => {
    await n8n.activate("akimbo-stranger");
    const { body } = await call("stranger");
    assert.match(body[0].error, /token/i);
    assert.match(body[0].description, /Check the token of the credential/);
  });

  await t.test(
    "the trigger subscribes, believes signed events alone, and unsubscribes",
    async () => {
      const subscriptions = async () => (await world.read("/webhooks")).data;
      assert.deepEqual(await subscriptions(), []);
      await n8n.activate("akimbo-trigger");
      const [webhook] = await eventually(subscriptions, (all) => all.length > 0);
      assert.deepEqual(webhook.events, ["upload.completed"]);
      assert.ok(webhook.url.startsWith(`${n8n.origin}/webhook/`), webhook.url);

      const runs = () => n8n.executions("akimbo-trigger");
      await world.service.publish({
        accountId: world.account("bluesky"),
        description: "For the trigger",
      });
      const stored = await eventually(runs, (all) =>
        all.some(({ status }) => status === "success"),
      );
      assert.deepEqual(
        stored.map(({ status, mode }) => [status, mode]),
        [["success", "webhook"]],
      );
      assert.match(await n8n.dataOf(stored[0]?.id), /upload\.completed/);

      const [delivery] = await eventually(
        async () => (await world.read(`/webhooks/${webhook.id}/deliveries`)).data,
        (all) => all.length > 0,
      );
      assert.equal(delivery.success, true);
      const body = JSON.stringify({ ...delivery.payload, id: "evt_forged" });
      const timestamp = String(Math.floor(Date.now() / 1000));
      const signature = createHmac("sha256", "guessed")
        .update(`${timestamp}.${body}`)
        .digest("hex");
      const forged = await fetch(webhook.url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "x-webhook-timestamp": timestamp,
          "x-webhook-signature": signature,
        },
        body,
      });
      assert.equal(forged.status, 401);
      assert.equal(runs().length, 1);

      await n8n.restart();
      const [same, ...others] = await subscriptions();
      assert.deepEqual([same.id, others], [webhook.id, []]);
      await world.service.publish({
        accountId: world.account("bluesky"),
        description: "After a restart",
      });
      await eventually(runs, (all) => all.length > 1);
      assert.equal(runs().length, 2);

      await n8n.deactivate("akimbo-trigger");
      assert.deepEqual(await eventually(subscriptions, (all) => all.length === 0), []);
    },
  );

  await t.test(
    "a person allows n8n to act for them, without a pasted token and for longer than it lasts",
    async () => {
      const person = await Person.signIn(world.service.origin, world.service.signInLink);
      const redirectUri = `${n8n.origin}/rest/oauth2-credential/callback`;
      const { clientId, clientSecret } = await registerApp(person, redirectUri);
      const { id } = await n8n.rest("POST", "/credentials", {
        name: "By OAuth",
        type: "akimboOAuth2Api",
        data: { baseUrl: world.service.origin, clientId, clientSecret },
      });
      const request = await n8n.rest("GET", `/oauth2-credential/auth?id=${id}`);
      await n8n.open(await person.allow(new URL(request)));
      const step = akimbo("Allowed", {
        resource: "account",
        operation: "getAll",
        authentication: "oAuth2",
      });
      const credentials = { akimboOAuth2Api: { id, name: "By OAuth" } };
      const made = workflow("akimbo-allowed", [byCall("allowed"), { ...step, credentials }]);
      const { id: workflowId } = await n8n.rest("POST", "/workflows", made);
      await n8n.activate(workflowId);
      assert.equal((await call("allowed")).body.length, world.accounts.size);
      await world.service.advanceClock(LONGER_THAN_A_TOKEN_SECONDS);
      const { body } = await call("allowed");
      assert.equal(body.length, world.accounts.size, JSON.stringify(body));
      assert.match(await world.service.readLog(), /"step":"refresh"/);
    },
  );
});
