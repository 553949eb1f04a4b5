import assert from "node:assert/strict";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readLocalApps } from "../../src/cli/doctor.ts";
import { diagnoseApps } from "../../src/cli/doctor-apps.ts";
import { PLATFORMS, type Platform } from "../../src/core/platforms.ts";
import type { Fetch } from "../../src/platforms/connector.ts";
import { connectorOf, connectors } from "../../src/platforms/registry.ts";

const ORIGIN = "https://akimbo.example";
const silent: Fetch = () => assert.fail("Nobody is to be asked.");
async function devVarsOf(text: string): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), "akimbo-")), ".dev.vars");
  await writeFile(path, text);
  return path;
}

const withApp = connectors().filter(({ needs }) => needs.app !== null);

test("says for each platform what to register and which keys are missing", async () => {
  const apps = { names: [], values: {}, origin: ORIGIN };
  const { report, problems } = await diagnoseApps(apps, silent);
  for (const connector of withApp) {
    const { platform, needs } = connector;
    const name = platform.toUpperCase();
    assert.ok(report.includes(`Redirect URL to register: ${ORIGIN}/oauth/callback/${platform}`));
    assert.ok(report.includes(`missing: ${name}_CLIENT_ID ${name}_CLIENT_SECRET`));
    for (const [index, { title, page }] of (await connector.setupSteps()).entries()) {
      assert.ok(report.includes(`\n  ${index + 1}. ${title} (${page}): open`), title);
    }
    for (const scope of needs.scopes) assert.ok(report.includes(scope), `${platform} ${scope}`);
  }
  assert.match(report, /^bluesky: needs no app\.\n {2}missing: BLUESKY_KEY\n {2}Without it/m);
  const deletion = `${ORIGIN}/oauth/data-deletion/facebook`;
  assert.ok(report.includes(`Data deletion request URL to register: ${deletion}`));
  const webhook = `${ORIGIN}/oauth/withdrawn/tiktok`;
  assert.ok(report.includes(`Webhook callback URL to register: ${webhook}`));
  assert.deepEqual(problems, []);
});

test("asks a platform about the keys that are set, and a refusal of them is a problem", async () => {
  const asked: string[] = [];
  const ask: Fetch = async (input) => {
    const { url } = new Request(input);
    asked.push(new URL(url).hostname);
    return url.includes("tiktok")
      ? Response.json({ access_token: "clt.1" })
      : Response.json({ error: "unauthorized_client" }, { status: 401 });
  };
  const values = {
    X_CLIENT_ID: "id",
    X_CLIENT_SECRET: "secret",
    TIKTOK_CLIENT_ID: "id",
    TIKTOK_CLIENT_SECRET: "secret",
  };
  const apps = { names: Object.keys(values), values, origin: ORIGIN };
  const { report, problems } = await diagnoseApps(apps, ask);
  assert.deepEqual(asked.toSorted(), ["api.x.com", "open.tiktokapis.com"]);
  assert.match(
    report,
    /set: TIKTOK_CLIENT_ID TIKTOK_CLIENT_SECRET\n {2}check: TikTok knows the app/,
  );
  assert.equal(problems.length, 1);
  assert.match(
    problems[0] ?? "",
    /^x: X does not know this instance's app.*X_CLIENT_SECRET\. Step 4 mends it: Set the keys\.$/,
  );
  assert.match(
    report,
    /\n {2}7\. Set the keys \(https:\/\/developers\.tiktok\.com.*\): confirmed\n/,
  );
  assert.match(report, /\n {2}4\. Set the keys \(https:\/\/console\.x\.com\): to be mended\n/);
});

test("shows the app for pages, and names the app that did not answer", async () => {
  const values = Object.fromEntries(
    ["LINKEDIN_CLIENT", "LINKEDIN_PAGES_CLIENT"].flatMap((app, index) => [
      [`${app}_ID`, `id${index}`],
      [`${app}_SECRET`, "secret"],
    ]),
  );
  const away: Fetch = () => Promise.reject(new Error("no network"));
  const apps = { names: Object.keys(values), values, origin: ORIGIN };
  const { report } = await diagnoseApps(apps, away);
  assert.match(
    report,
    /\n {2}app for pages, set: LINKEDIN_PAGES_CLIENT_ID LINKEDIN_PAGES_CLIENT_SECRET\n/,
  );
  assert.match(report, /check: LINKEDIN_CLIENT_ID: LinkedIn did not answer/);
  assert.match(report, /check: LINKEDIN_PAGES_CLIENT_ID: LinkedIn did not answer/);
});

const WRONG_SETTINGS: [line: string, problem: RegExp][] = [
  ['APP_SCOPES={"linkedin":["w_organisation_social"]}', /for w_organisation_social, /],
  ["APP_SCOPES=nonsense", /APP_SCOPES/],
  ["AUDITED_PLATFORMS=tictoc", /AUDITED_PLATFORMS/],
  ["AUDITED_PLATFORMS=tiktok,,youtube", /AUDITED_PLATFORMS/],
  ["YOUTUBE_DERIVED_METRICS=maybe", /YOUTUBE_DERIVED_METRICS/],
  ["FACEBOOK_CONFIG_ID=abc", /FACEBOOK_CONFIG_ID/],
  ["PUBLIC_URL=nonsense", /PUBLIC_URL/],
  ["PUBLIC_URL=https://social.example/path", /PUBLIC_URL/],
  ["PUBLIC_URL=ftp://social.example", /PUBLIC_URL/],
];
for (const [line, problem] of WRONG_SETTINGS) {
  test(`a setting with which the server does not start is a problem: ${line}`, async () => {
    await assert.rejects(readLocalApps(await devVarsOf(`${line}\n`)), problem);
  });
}

test("half a pair of keys is a problem, and asks nobody", async () => {
  const apps = { names: ["X_CLIENT_ID"], values: { X_CLIENT_ID: "id" }, origin: ORIGIN };
  assert.deepEqual((await diagnoseApps(apps, silent)).problems, [
    "x: X_CLIENT_SECRET is missing. Step 4 mends it: Set the keys.",
  ]);
});

test("the key of another product is a problem, with the step that mends it", async () => {
  const values = {
    FACEBOOK_CLIENT_ID: "123",
    INSTAGRAM_CLIENT_ID: "123",
    INSTAGRAM_CLIENT_SECRET: "secret",
    FACEBOOK_CLIENT_SECRET: "secret",
  };
  const ask: Fetch = async () => Response.json({ access_token: "1" });
  const apps = { names: Object.keys(values), values, origin: ORIGIN };
  const { problems } = await diagnoseApps(apps, ask);
  assert.deepEqual(problems, [
    "instagram: INSTAGRAM_CLIENT_ID has the value of FACEBOOK_CLIENT_ID. It has to be the Instagram app id of the business login settings, not the id of the Meta app. Step 6 mends it: Set the keys.",
  ]);
});

test("a redirect URL that the platform refuses is a problem once the app has keys", async () => {
  const values = { X_CLIENT_ID: "id", X_CLIENT_SECRET: "secret" };
  const ask: Fetch = async () => Response.json({}, { status: 503 });
  const apps = { names: Object.keys(values), values, origin: "http://localhost:8797" };
  const { problems } = await diagnoseApps(apps, ask);
  assert.equal(problems.length, 1);
  assert.match(
    problems[0] ?? "",
    /^x: X does not lead people back to http:\/\/localhost:8797.* Step 3 mends it/,
  );
});

test("an app of TikTok's sandbox is named with its next step, and is no problem", async () => {
  const values = { TIKTOK_CLIENT_ID: "sb1", TIKTOK_CLIENT_SECRET: "secret" };
  const ask: Fetch = async () => Response.json({ access_token: "clt.1" });
  const apps = { names: Object.keys(values), values, origin: ORIGIN };
  const { report, problems } = await diagnoseApps(apps, ask);
  assert.match(
    report,
    /to mend: .*nothing it posts is public\. Step 8 mends it: Pass the app review\./,
  );
  assert.deepEqual(problems, []);
});

test("shows what is ticked on the instance's pages", async () => {
  const ticks = [{ platform: "x", step: "credits", source: "owner" }] as const;
  const apps = { names: [], values: {}, origin: ORIGIN, ticks };
  const { report } = await diagnoseApps(apps, silent);
  assert.match(report, /\n {2}5\. Set a spending limit, and buy credits \(.*\): done\n/);
});

test("of a deployed instance the names of the secrets are known, or nothing", async () => {
  const names = ["X_CLIENT_ID", "X_CLIENT_SECRET"];
  const listed = await diagnoseApps({ names, values: {}, origin: ORIGIN }, silent);
  assert.match(listed.report, /set: X_CLIENT_ID X_CLIENT_SECRET/);
  const unlisted = await diagnoseApps({ names: null, values: {}, origin: ORIGIN }, silent);
  assert.match(unlisted.report, /keys: X_CLIENT_ID X_CLIENT_SECRET/);
  assert.deepEqual(unlisted.problems, []);
});

test("reads the keys of the local server from .dev.vars, where empty ones are missing", async () => {
  const path = await devVarsOf("X_CLIENT_ID=id\nX_CLIENT_SECRET=\n");
  assert.deepEqual(await readLocalApps(path, {}), {
    names: ["ENVIRONMENT", "X_CLIENT_ID"],
    values: { ENVIRONMENT: "production", X_CLIENT_ID: "id" },
    origin: "http://localhost:8797",
  });
  assert.deepEqual((await readLocalApps(`${path}.none`)).names, ["ENVIRONMENT"]);
});

test("names the redirect URL at the port that the local server takes", async () => {
  const { origin } = await readLocalApps("/none/.dev.vars", { PORT: "8941" });
  assert.equal(origin, "http://localhost:8941");
});

const summaryOf = (report: string) => report.split("\n").at(-1);

test("ends with how far all platforms are; one that does not answer is no problem", async () => {
  const values = Object.fromEntries(
    ["X", "TIKTOK", "LINKEDIN"].flatMap((name) => [
      [`${name}_CLIENT_ID`, "id"],
      [`${name}_CLIENT_SECRET`, "secret"],
    ]),
  );
  const ask: Fetch = async (input) => {
    const { url } = new Request(input);
    if (url.includes("tiktok")) throw new TypeError("fetch failed");
    return url.includes("linkedin")
      ? Response.json({ access_token: "1" })
      : Response.json({ error: "unauthorized_client" }, { status: 401 });
  };
  const apps = { names: Object.keys(values), values, origin: ORIGIN };
  const { report, problems } = await diagnoseApps(apps, ask);
  const withoutApp = PLATFORMS.filter((platform) => connectorOf(platform).needs.app === null);
  const judged: readonly Platform[] = ["linkedin", "tiktok", "x", ...withoutApp];
  const others = PLATFORMS.filter((platform) => !judged.includes(platform));
  const ready = ["linkedin", ...withoutApp];
  assert.equal(
    summaryOf(report),
    `${PLATFORMS.length} platforms: ${ready.length} ready (${ready.join(", ")}); 1 set up but not confirmed (tiktok); 1 to be mended (x); ${others.length} not set up (${others.join(", ")}).`,
  );
  assert.deepEqual(
    problems.map((problem) => problem.split(":")[0]),
    ["x"],
  );
});

test("says which platforms take no redirect URL at localhost", async () => {
  const at = async (origin: string) =>
    (await diagnoseApps({ names: [], values: {}, origin }, silent)).report;
  const local = await at("http://localhost:8797");
  const named = local
    .split("\n\n")
    .filter((part) => part.includes("does not lead people back to http://localhost"))
    .map((part) => part.split("\n")[0]);
  assert.deepEqual(named.toSorted(), ["instagram", "threads", "tiktok", "x"]);
  assert.match(
    local,
    /^ {2}to mend: X does not lead people back to .*, but to https, or http:\/\/127\.0\.0\.1 alone/m,
  );
  assert.ok(!(await at(ORIGIN)).includes("to mend"));
});
