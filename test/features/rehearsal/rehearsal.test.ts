import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { expireFiles } from "../../../src/features/publishing/media-expiry.ts";
import { forgetEndedRehearsals } from "../../../src/features/rehearsal/expiry.ts";
import { connectorOf } from "../../../src/platforms/registry.ts";
import { aroundBatches } from "../../support/database.ts";
import { grant, grantDeleting } from "../../support/grant.ts";
import {
  connectSandbox,
  createMember,
  createToken,
  Harness,
  instanceOwner,
  joinTeam,
  type Member,
} from "../../support/harness.ts";

let harness: Harness;
let owner: Member;

beforeEach(async () => {
  harness = new Harness();
  owner = await createMember();
});

interface Step {
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  data: any;
  next: string;
  afterSeconds: number;
  note: string | null;
  calls: { method: string; address: string; status: number | null; answer: string | null }[];
}

const begin = (accountId: string, note = "", token = owner.token) =>
  harness.call("POST", "/rehearsals", { token, json: { accountId, note } });

async function step(id: number, acceptPublic = true): Promise<Step> {
  const { status, body } = await harness.call("POST", `/rehearsals/${id}/step`, {
    token: owner.token,
    json: { acceptPublic },
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}

async function finish(id: number, steps: Step[] = []): Promise<Step[]> {
  for (let tries = 0; tries < 60; tries++) {
    const taken = await step(id);
    steps.push(taken);
    if (taken.next === "over" || taken.next === "stop") return steps;
    harness.advance(taken.afterSeconds);
  }
  throw new Error(`It does not end: ${JSON.stringify(steps.at(-1))}`);
}

async function rehearse(platform: string, note = "", name = "Ada", pageId?: string) {
  const accountId = await connectSandbox(harness, owner, name, platform, pageId);
  const { body } = await begin(accountId, note);
  const steps = await finish(body.data.id);
  const calls = steps.flatMap((one) => one.calls);
  return { accountId, steps, calls, end: steps.at(-1)?.data, begun: body.data };
}

const remaining = async () =>
  (await harness.call("GET", "/rehearsals", { token: owner.token })).body.data;

const said = (calls: Step["calls"]) =>
  calls.map(({ method, address, status }) => {
    const { host, pathname } = new URL(address);
    return `${method} ${host}${pathname} ${status}`;
  });

describe("a rehearsal runs to its end in the sandbox", () => {
  test.each([
    ["x", "everyone", "removed", /DELETE api\.x\.com\/2\/tweets\/\d+ 200/],
    ["discord", "everyone", "removed", /DELETE discord\.com\/api\/v10\/webhooks\/.* 204/],
    ["bluesky", "everyone", "removed", /POST .*com\.atproto\.repo\.deleteRecord 200/],
    ["telegram", "everyone", "removed", /POST api\.telegram\.org\/.*\/deleteMessages 200/],
    ["facebook", "owner", "removed", /DELETE graph\.facebook\.com\/v[\d.]+\/\d+_\d+ 200/],
    ["linkedin", "connections", "removed", /DELETE api\.linkedin\.com\/rest\/posts\/.* 204/],
    ["pinterest", "owner", "removed", /DELETE api\.pinterest\.com\/v5\/pins\/\d+ 204/],
    [
      "google_business",
      "everyone",
      "removed",
      /DELETE mybusiness\.googleapis\.com\/v4\/accounts\/\d+\/locations\/\d+\/localPosts\/\d+ 200/,
    ],
    ["youtube", "owner", "left", /DELETE www\.googleapis\.com\/youtube\/v3\/videos 403/],
    ["threads", "everyone", "left", /DELETE graph\.threads\.net\/v1\.0\/\d+ 400/],
    [
      "tiktok",
      "owner",
      "left",
      /POST open\.tiktokapis\.com\/v2\/post\/publish\/status\/fetch\/ 200/,
    ],
    ["instagram", "nobody", "nothing", /GET graph\.instagram\.com\/v[\d.]+\/\d+ 200/],
  ])("on %s: %s sees the post, and it is %s", async (platform, audience, outcome, last) => {
    const { end, calls, steps } = await rehearse(platform);
    expect(end).toMatchObject({ platform, audience, outcome, stage: "over" });
    expect(end.mayBeOut).toBe(outcome === "left");
    const told = said(calls);
    expect(
      told.filter((one) => last.test(one)),
      told.join("\n"),
    ).not.toEqual([]);
    expect(await remaining()).toHaveLength(outcome === "left" ? 1 : 0);
    expect(steps.map(({ note }) => note).filter(Boolean).length).toBeGreaterThan(1);
    if (outcome === "left") expect(end.summary).toContain(end.byHand);
  });

  test("Instagram publishes nothing", async () => {
    const { calls } = await rehearse("instagram");
    expect(said(calls).join()).not.toContain("media_publish");
    expect(said(calls).join()).toContain("/media 200");
  });

  test("a LinkedIn page's post is public", async () => {
    const person = await connectSandbox(harness, owner, "Ada", "linkedin");
    const { body } = await harness.call(
      "GET",
      `/accounts/linkedin/pages?accountId=${person}`,
      owner,
    );
    const { end, steps } = await rehearse("linkedin", "", "Ada", body.data[0].id);
    expect(end).toMatchObject({ audience: "everyone", outcome: "removed" });
    expect(steps.map(({ note }) => note)).toContain("Read back: LinkedIn says PUBLIC.");
  });
});

describe("with the permissions that the person gave", () => {
  test("YouTube deletes the video with youtube.force-ssl", async () => {
    await grantDeleting.youtube(owner.teamId);
    const { end, calls, steps } = await rehearse("youtube");
    expect(end.outcome).toBe("removed");
    expect(said(calls)).toContain("DELETE www.googleapis.com/youtube/v3/videos 204");
    expect(steps.map(({ note }) => note)).toContain("Read back: YouTube says private.");
  });

  test("Threads deletes the post with threads_delete", async () => {
    await grantDeleting.threads(owner.teamId);
    expect((await rehearse("threads")).end.outcome).toBe("removed");
  });

  test("a pin is public where the login sees no secret board", async () => {
    await grant(
      owner.teamId,
      "https://www.pinterest.com/oauth/",
      "https://api.pinterest.com/v5/oauth/token",
      ["boards:read", "boards:write", "pins:read", "pins:write", "user_accounts:read"],
      ",",
    );
    expect((await rehearse("pinterest")).end).toMatchObject({
      audience: "everyone",
      outcome: "removed",
    });
  });
});

describe("with the scopes that the account's consent named", () => {
  const GOOGLE = "https://www.googleapis.com/auth/youtube";

  async function withGranted(platform: string, scopes: string) {
    const accountId = await connectSandbox(harness, owner, "Ada", platform);
    await env.DB.prepare("UPDATE accounts SET granted_scopes = ? WHERE id = ?")
      .bind(scopes, accountId)
      .run();
    const { text, id } = (await begin(accountId)).body.data;
    const steps = await finish(id);
    return {
      text,
      steps,
      calls: said(steps.flatMap(({ calls }) => calls)),
      end: steps.at(-1)?.data,
    };
  }

  test.each([
    ["youtube", "", `${GOOGLE}.force-ssl`],
    ["threads", "threads_manage_insights", "threads_delete"],
  ])("%s keeps a post that the login may not delete, and says so", async (platform, has, lacks) => {
    const { text, calls, end } = await withGranted(platform, has);
    expect(text).toContain("It is deleted by hand.");
    expect(calls.filter((one) => one.startsWith("DELETE"))).toEqual([]);
    expect(end).toMatchObject({ outcome: "left", removal: "impossible" });
    expect(end.summary).toContain(`This login may not delete it: it lacks ${lacks}.`);
    expect(end.summary).toContain(end.byHand);
  });

  test.each([
    ["youtube", `${GOOGLE}.force-ssl`],
    ["threads", "threads_manage_insights threads_delete"],
  ])("%s is asked to delete a post that the login may delete", async (platform, has) => {
    const { text, calls, end } = await withGranted(platform, has);
    expect(text).toContain("It is deleted soon.");
    expect(calls.filter((one) => one.startsWith("DELETE"))).toHaveLength(1);
    expect(end.removal).toBe("possible");
  });

  test("the refusal of a login with unknown scopes names the scope", async () => {
    const { begun, end } = await rehearse("threads");
    expect(begun.text).not.toContain("deleted");
    expect(end.removal).toBe("unknown");
    expect(end.summary).toContain(
      "does not have permission for this action. Deleting needs the permission threads_delete.",
    );
  });
});

test.each([
  ["x", "removed", null],
  ["tiktok", "left", expect.stringContaining("Delete the video in the TikTok app")],
  ["instagram", "nothing", expect.stringContaining("24 hours")],
])("on %s, what is left to do by hand after %s", async (platform, outcome, byHand) => {
  const { end } = await rehearse(platform);
  expect(end).toMatchObject({ outcome, byHand });
});

test("a person's post that LinkedIn does not show is said to be normal", async () => {
  const { steps } = await rehearse("linkedin");
  expect(steps.map(({ note }) => note).join("\n")).toMatch(
    /could not be read back: .*That is normal/,
  );
});

test.each([
  ["youtube", "Only people who manage the channel see it."],
  ["tiktok", "Only the account itself sees it."],
  ["facebook", "Only people who manage the Page see it."],
  ["pinterest", "Only people who share the board see it."],
])("%s is planned in words that fit", async (platform, words) => {
  const { steps } = await rehearse(platform);
  expect(steps[0]?.note).toBe(`The post is planned. ${words}`);
});

test("Facebook's post is not published, and is read back as that", async () => {
  const { steps } = await rehearse("facebook");
  expect(steps.map(({ note }) => note)).toContain("Read back: Facebook says unpublished.");
});

describe("others would see the post", () => {
  test("it is not published before the owner agrees", async () => {
    const accountId = await connectSandbox(harness, owner, "Ada", "x");
    const { id } = (await begin(accountId)).body.data;
    expect(await step(id, false)).toMatchObject({ next: "ask", data: { audience: "everyone" } });
    for (let again = 0; again < 2; again++) {
      const asked = await step(id, false);
      expect(asked).toMatchObject({ next: "ask", calls: [], data: { stage: "asking" } });
      expect(asked.data.summary).toBe("Nothing was published.");
    }
    expect((await finish(id)).at(-1)?.data.outcome).toBe("removed");
  });

  test("a private post needs no agreement", async () => {
    const accountId = await connectSandbox(harness, owner, "Ada", "facebook");
    const { id } = (await begin(accountId)).body.data;
    let taken = await step(id, false);
    while (taken.next === "step") {
      harness.advance(taken.afterSeconds);
      taken = await step(id, false);
    }
    expect(taken.data.outcome).toBe("removed");
  });
});

describe("the platform refuses", () => {
  test("a post that it does not take ends the rehearsal, with its words and the calls", async () => {
    const { end, calls } = await rehearse("x", "[sandbox:content_flagged]");
    expect(end).toMatchObject({ outcome: "nothing", mayBeOut: false });
    expect(end.summary).toMatch(/^Nothing was published\. ./);
    expect(calls.at(-1)).toMatchObject({ method: "POST", address: "https://api.x.com/2/tweets" });
    expect(calls.at(-1)?.status).toBeGreaterThanOrEqual(400);
    expect(calls.at(-1)?.answer).toContain("detail");
  });

  test("a login that it ends at that call is said to be lost", async () => {
    const { end } = await rehearse("facebook", "[sandbox:account_disconnected]");
    expect(end).toMatchObject({ outcome: "nothing", mayBeOut: false });
  });

  test("a token that the platform no longer takes is renewed once", async () => {
    const { end, calls } = await rehearse("x", "[sandbox:token_expired]");
    expect(end.outcome).toBe("removed");
    expect(said(calls)).toEqual(
      expect.arrayContaining([
        "POST api.x.com/2/tweets 401",
        "POST api.x.com/2/oauth2/token 200",
        "POST api.x.com/2/tweets 201",
      ]),
    );
  });
});

describe("after a crash", () => {
  test("in the call that publishes, the list says that the post may be out, and a later step finds and deletes it", async () => {
    const accountId = await connectSandbox(harness, owner, "Ada", "x");
    const { id } = (await begin(accountId, "[sandbox:lost_reply]")).body.data;
    const steps: Step[] = [];
    for (let tries = 0; tries < 3; tries++) steps.push(await step(id));
    expect(steps.at(-1)?.data.stage).toBe("submitting");
    const [left] = await remaining();
    expect(left).toMatchObject({ id, mayBeOut: true, stage: "submitting" });
    expect(left.summary).toContain("The post may be out");
    expect((await begin(accountId)).body.data.id).toBe(id);
    expect((await finish(id)).at(-1)?.data.outcome).toBe("removed");
    expect(await remaining()).toEqual([]);
  });

  test("a step that another invocation left unfinished is repeated after two minutes", async () => {
    const accountId = await connectSandbox(harness, owner, "Ada", "x");
    const { id } = (await begin(accountId)).body.data;
    await step(id);
    const until = Date.now() + 120_000;
    await env.DB.prepare("UPDATE rehearsals SET busy_until = ? WHERE id = ?").bind(until, id).run();
    expect(await step(id)).toMatchObject({ next: "step", afterSeconds: 120, calls: [] });
    harness.advance(120);
    expect((await finish(id)).at(-1)?.data.outcome).toBe("removed");
  });

  test("a lost answer about a post that was never made ends it", async () => {
    const accountId = await connectSandbox(harness, owner, "Ada", "bluesky");
    const { id } = (await begin(accountId)).body.data;
    await step(id);
    await env.DB.prepare(
      "UPDATE rehearsals SET stage = 'submitting', submitted_at = ?, bookmark = ? WHERE id = ?",
    )
      .bind(
        Date.now(),
        JSON.stringify({ rkey: "3lcnoqq4a2c2c", record: { text: "never sent" } }),
        id,
      )
      .run();
    const end = (await finish(id)).at(-1)?.data;
    expect(end).toMatchObject({ outcome: "nothing", mayBeOut: false });
    expect(end.summary).toContain("Bluesky has no such post");
  });
});

describe("the login", () => {
  test("that is lost before anything was published ends the rehearsal", async () => {
    const accountId = await connectSandbox(harness, owner, "Ada", "x");
    const { id } = (await begin(accountId)).body.data;
    await env.DB.prepare("UPDATE accounts SET credentials = 'v1.none' WHERE id = ?")
      .bind(accountId)
      .run();
    const end = await step(id);
    expect(end).toMatchObject({ next: "over", data: { outcome: "nothing" } });
    expect(end.note).toContain("Reconnect the account");
  });

  test("that is lost while the post is out stops it, and the list goes on telling", async () => {
    const accountId = await connectSandbox(harness, owner, "Ada", "x");
    const { id } = (await begin(accountId)).body.data;
    let taken = await step(id);
    while (taken.data.stage !== "reading") taken = await step(id);
    await env.DB.prepare("UPDATE accounts SET credentials = 'v1.none' WHERE id = ?")
      .bind(accountId)
      .run();
    expect(await step(id)).toMatchObject({ next: "stop", data: { mayBeOut: true } });
    expect((await remaining())[0].summary).toContain("The post is out: https://x.com/");
  });

  test("of an inactive account is refused before anything is stored", async () => {
    const accountId = await connectSandbox(harness, owner, "Ada", "x");
    await env.DB.prepare("UPDATE accounts SET status = 'expired' WHERE id = ?")
      .bind(accountId)
      .run();
    const { status, body } = await begin(accountId);
    expect([status, body.code]).toEqual([409, "ACCOUNT_INACTIVE"]);
    expect(await remaining()).toEqual([]);
  });
});

describe("who may", () => {
  test("the owner of the account's team alone", async () => {
    const accountId = await connectSandbox(harness, owner, "Ada", "x");
    const { id } = (await begin(accountId)).body.data;
    const other = await createMember();
    expect((await begin(accountId, "", other.token)).status).toBe(404);
    for (const [method, path] of [
      ["POST", `/rehearsals/${id}/step`],
      ["DELETE", `/rehearsals/${id}`],
    ] as const) {
      const json = method === "POST" ? {} : undefined;
      expect((await harness.call(method, path, { token: other.token, json })).status).toBe(404);
    }
    await joinTeam(owner.teamId, other.userId, "ADMIN");
    const admin = await createToken(other.userId, { teamId: owner.teamId });
    expect((await begin(accountId, "", admin)).body.code).toBe("FORBIDDEN");
    const scoped = await createToken(owner.userId, { scopes: ["posts:publish"] });
    expect((await begin(accountId, "", scoped)).body.code).toBe("INSUFFICIENT_SCOPE");
  });

  test("a forgotten rehearsal is no longer listed", async () => {
    const { begun } = await rehearse("tiktok");
    expect(await remaining()).toHaveLength(1);
    const path = `/rehearsals/${begun.id}`;
    expect((await harness.call("DELETE", path, owner)).status).toBe(200);
    expect(await remaining()).toEqual([]);
    expect((await harness.call("DELETE", path, owner)).status).toBe(404);
    expect((await harness.call("POST", `${path}/step`, { ...owner, json: {} })).status).toBe(404);
  });
});

describe("the figures", () => {
  const figures = async (accountId: string) =>
    (await harness.call("POST", `/analytics/${accountId}/sync`, owner)).body.data;
  const forget = (id: number) => harness.call("DELETE", `/rehearsals/${id}`, owner);

  test.each(["youtube", "threads"])("of %s leave out a post that was left", async (platform) => {
    const { accountId, begun, end } = await rehearse(platform);
    expect(end.outcome).toBe("left");
    expect(await figures(accountId)).toMatchObject({ videos: [], neverSynced: false });
    await forget(begun.id);
    expect((await figures(accountId)).videos).toEqual([]);
  });

  test("lose a post that a collection during the rehearsal has stored", async () => {
    const { accountId, begun, end } = await rehearse("threads");
    await set(begun.id, { platform_post_id: null });
    expect((await figures(accountId)).videos).toHaveLength(1);
    await set(begun.id, { platform_post_id: end.platformPostId });
    expect(await figures(accountId)).toMatchObject({ videos: [], overview: { videoCount: 0 } });
  });
});

const set = (id: number, columns: Record<string, string | number | null>) =>
  env.DB.prepare(
    `UPDATE rehearsals SET ${Object.keys(columns).map((name) => `${name} = ?`)} WHERE id = ?`,
  )
    .bind(...Object.values(columns), id)
    .run();

describe("two calls at the same moment", () => {
  test("do not publish what the owner was not asked about", async () => {
    const accountId = await connectSandbox(harness, owner, "Ada", "x");
    const { id } = (await begin(accountId)).body.data;
    let hasMet = false;
    const stop = aroundBatches(harness, async (run, text) => {
      if (!hasMet && text.includes("UPDATE rehearsals SET busy_until")) {
        hasMet = true;
        await step(id, false);
      }
      return run();
    });
    expect(await step(id, false)).toMatchObject({ calls: [], next: "step" });
    stop();
    expect(hasMet).toBe(true);
    expect(await step(id, false)).toMatchObject({ next: "ask", data: { mayBeOut: false } });
  });

  test("do not forget a rehearsal whose step is being taken", async () => {
    const accountId = await connectSandbox(harness, owner, "Ada", "x");
    const { id } = (await begin(accountId)).body.data;
    await set(id, { busy_until: Date.now() + 120_000 });
    const path = `/rehearsals/${id}`;
    const { status, body } = await harness.call("DELETE", path, owner);
    expect([status, body.code]).toEqual([409, "NOT_CANCELLABLE"]);
    harness.advance(120);
    expect((await harness.call("DELETE", path, owner)).status).toBe(200);
  });

  test("do not forget after a no what was published meanwhile", async () => {
    const accountId = await connectSandbox(harness, owner, "Ada", "x");
    const { id } = (await begin(accountId)).body.data;
    await step(id, false);
    await set(id, { stage: "reading", platform_post_id: "1" });
    const path = `/rehearsals/${id}?unpublished=true`;
    const { status, body } = await harness.call("DELETE", path, owner);
    expect([status, body.code]).toEqual([409, "NOT_CANCELLABLE"]);
    expect(body.error).toContain("The post is out: id 1.");
    await set(id, { stage: "asking" });
    expect((await harness.call("DELETE", path, owner)).status).toBe(200);
  });
});

let serial = 0;

async function beginLiveX(member: Member) {
  const accountId = await connectSandbox(harness, member, `Ada ${++serial}`, "x");
  await env.DB.prepare("UPDATE accounts SET mode = 'live' WHERE id = ?").bind(accountId).run();
  return begin(accountId, "", member.token);
}

describe("what a rehearsal costs", () => {
  test("is spent at X by the owner of the instance alone", async () => {
    const { status, body } = await beginLiveX(owner);
    expect([status, body.code]).toEqual([403, "FORBIDDEN"]);
    expect(body.error).toContain("X charges the owner of this instance");
    expect((await beginLiveX(await instanceOwner())).status).toBe(200);
  });

  test("is ten rehearsals in a day, for each account", async () => {
    const [accountId, other] = [
      await connectSandbox(harness, owner, "Ada", "x"),
      await connectSandbox(harness, owner, "Bea", "x"),
    ];
    for (let made = 0; made < 10; made++) {
      const { body } = await begin(accountId);
      await set(body.data.id, { stage: "over", outcome: "removed" });
    }
    const { status, body } = await begin(accountId);
    expect([status, body.code]).toEqual([409, "DAILY_LIMIT"]);
    expect((await begin(other)).status).toBe(200);
    harness.advance(86_400);
    expect((await begin(accountId)).status).toBe(200);
  });

  test("counts forgotten rehearsals among the ten", async () => {
    const accountId = await connectSandbox(harness, owner, "Ada", "x");
    for (let made = 0; made < 10; made++) {
      const { id } = (await begin(accountId)).body.data;
      await set(id, { stage: "over", outcome: "left" });
      await harness.call("DELETE", `/rehearsals/${id}`, owner);
    }
    expect((await begin(accountId)).body.code).toBe("DAILY_LIMIT");
  });

  test.each(["https://a.test/b", "see example.com", "bücher.de", "HTTP://1.2.3.4", "t.co/x"])(
    "is not raised by a link in the note: %s",
    async (note) => {
      const { status, body } = await begin("acc_1", note);
      expect(status).toBe(400);
      expect(JSON.stringify(body)).toContain("must hold no link");
    },
  );
});

test.each([
  ["asking", "nothing", false],
  ["submitting", "unknown", true],
  ["reading", "left", true],
])("an account that is disconnected at %s: %s", async (stage, outcome, mayBeOut) => {
  const disconnect = async (name: string) => {
    const accountId = await connectSandbox(harness, owner, name, "x");
    const { id } = (await begin(accountId)).body.data;
    await set(id, { stage, platform_post_id: stage === "reading" ? "19" : null });
    const gone = await harness.call("DELETE", `/accounts/${accountId}`, { token: owner.token });
    expect(gone.status).toBe(200);
    await harness.settle();
    return id;
  };
  const id = await disconnect("Ada");
  const { data, next } = await step(id);
  expect(next).toBe("over");
  expect(data).toMatchObject({ outcome, mayBeOut });
  expect(data.summary).toContain("The account was disconnected");
  const other = await disconnect("Bea");
  await forgetEndedRehearsals(harness.deps);
  expect((await step(other)).data).toMatchObject({ outcome, mayBeOut });
});

test("a draft of an account that is disconnected was not published", async () => {
  const accountId = await connectSandbox(harness, owner, "Ada", "instagram");
  const { id } = (await begin(accountId)).body.data;
  await step(id);
  await set(id, { stage: "reading", platform_post_id: "19" });
  await harness.call("DELETE", `/accounts/${accountId}`, { token: owner.token });
  expect((await step(id)).data).toMatchObject({ outcome: "nothing", mayBeOut: false });
});

test("the sample of an unfinished rehearsal is not removed by the hourly chore", async () => {
  const accountId = await connectSandbox(harness, owner, "Ada", "facebook");
  const { id } = (await begin(accountId)).body.data;
  const bytes = new TextEncoder().encode("sample");
  await env.DB.prepare(
    `INSERT INTO media (team_id, sha256, kind, mime, size_bytes, object_key, etag, created_at)
      VALUES (?, 'abc', 'image', 'image/jpeg', ?, ?, 'e', 0)`,
  )
    .bind(owner.teamId, bytes.length, `media/${owner.teamId}/abc`)
    .run();
  await set(id, { sample_sha256: "abc" });
  const count = async () => {
    await expireFiles(harness.deps, `${owner.teamId} `);
    return env.DB.prepare("SELECT COUNT(*) AS n FROM media WHERE team_id = ?")
      .bind(owner.teamId)
      .first("n");
  };
  expect(await count()).toBe(1);
  await set(id, { stage: "over", outcome: "removed" });
  expect(await count()).toBe(0);
});

describe("a real platform", () => {
  type Answer = { status: number; body?: object } | null;
  const POSTED: Answer = { status: 201, body: { data: { id: "19", text: "Hello" } } };
  const SHOWN: Answer = { status: 200, body: { data: [{ id: "19", text: "Hello" }] } };
  const NOT_SHOWN: Answer = {
    status: 200,
    body: { errors: [{ resource_id: "19", title: "Not Found Error" }] },
  };

  /** X answers each method with these, and with the last one again and again. Null is a lost connection. */
  function answerAsX(script: Record<string, Answer[]>) {
    harness.network = async (input, init) => {
      const answers = script[new Request(input, init).method] ?? [null];
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (!answer) throw new Error("Network connection lost.");
      return answer.body
        ? Response.json(answer.body, { status: answer.status })
        : new Response(null, { status: answer.status });
    };
  }

  beforeEach(async () => {
    owner = await instanceOwner();
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  test("that says nothing for a day ends the rehearsal, and its post may be out", async () => {
    answerAsX({});
    const { id } = (await beginLiveX(owner)).body.data;
    await step(id);
    expect(await step(id)).toMatchObject({
      data: { stage: "submitting" },
      note: "X did not answer.",
    });
    harness.advance(3_600);
    expect(await step(id)).toMatchObject({ next: "step", data: { stage: "submitting" } });
    harness.advance(86_400);
    const end = await step(id);
    expect(end).toMatchObject({ next: "over", data: { outcome: "unknown", mayBeOut: true } });
    expect(end.data.summary).toContain("X did not answer.");
  });

  test("is not blamed for a mistake in the program", async () => {
    const { id } = (await beginLiveX(owner)).body.data;
    const broken = vi
      .spyOn(connectorOf("x").rehearsal, "plan")
      .mockRejectedValue(new TypeError("x is undefined"));
    const json = { acceptPublic: true };
    const { token } = owner;
    const { status } = await harness.call("POST", `/rehearsals/${id}/step`, { token, json });
    expect(status).toBe(500);
    broken.mockRestore();
    expect(await step(id)).toMatchObject({ data: { stage: "asking" } });
  });

  const refused = (status: number): Answer => ({ status, body: { title: "No", detail: "No." } });

  test.each<[string, string, Answer[], Answer[]]>([
    ["refuses to delete a post that it does not show", "left", [NOT_SHOWN], [refused(403)]],
    ["refuses to delete a post that it has shown", "left", [SHOWN, NOT_SHOWN], [refused(403)]],
    ["fails to delete a post that it does not show", "left", [NOT_SHOWN], [refused(503)]],
    ["fails, and the post is no longer shown", "removed", [SHOWN, NOT_SHOWN], [refused(503)]],
    ["does not answer, and the post is not shown", "removed", [SHOWN, NOT_SHOWN], [null]],
    ["does not know a post that it never showed", "unknown", [NOT_SHOWN], [refused(404)]],
    ["does not know a post any more that it has shown", "removed", [SHOWN], [refused(404)]],
    ["does not answer, and never showed the post", "left", [NOT_SHOWN], [null]],
    [
      "answers at the second time",
      "removed",
      [SHOWN],
      [null, { status: 200, body: { data: { deleted: true } } }],
    ],
  ])("that %s: %s", async (_, outcome, GET, DELETE) => {
    answerAsX({ GET: [...GET], DELETE: [...DELETE], POST: [POSTED] });
    const { id } = (await beginLiveX(owner)).body.data;
    expect((await finish(id)).at(-1)?.data).toMatchObject({ outcome });
  });
});

test("rehearsals that left nothing are forgotten after 30 days, and others are not", async () => {
  const left = (await rehearse("tiktok")).begun.id;
  const removed = (await rehearse("x")).begun.id;
  const recent = (await rehearse("bluesky")).begun.id;
  const forgotten = (await rehearse("youtube")).begun.id;
  const idless = (await rehearse("threads")).begun.id;
  const before = Date.now() - 31 * 86_400_000;
  for (const id of [left, removed, forgotten, idless]) await set(id, { updated_at: before });
  for (const id of [forgotten, idless]) await set(id, { outcome: "forgotten" });
  await set(idless, { platform_post_id: null });
  expect(await forgetEndedRehearsals(harness.deps)).toBeNull();
  const { results } = await env.DB.prepare("SELECT id FROM rehearsals WHERE team_id = ?")
    .bind(owner.teamId)
    .all();
  expect(results.map(({ id }) => id)).toEqual([left, recent, forgotten]);
});

test.each([
  [{}],
  [{ accountId: "" }],
  [{ accountId: "acc_1", note: "x".repeat(101) }],
  [{ accountId: "acc_1", public: true }],
])("refuses %j", async (json) => {
  const { status } = await harness.call("POST", "/rehearsals", { token: owner.token, json });
  expect(status).toBe(400);
});
