import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import {
  diagnoseAgents,
  diagnoseInstance,
  diagnoseNeeds,
  diagnoseVersions,
} from "../../src/cli/doctor.ts";
import { inProject } from "../../src/cli/paths.ts";
import { connectors } from "../../src/platforms/registry.ts";
import { endingVersions } from "../../src/platforms/sunsets.ts";

test("shows version, header and sunset of every platform", () => {
  const { report, problems } = diagnoseVersions(new Date("2026-12-01T00:00:00Z"));
  for (const { platform, apiVersion } of connectors()) {
    assert.match(report, new RegExp(`^${platform} +${apiVersion.version} `, "m"));
  }
  assert.match(report, /^linkedin +202609 +LinkedIn-Version +none announced$/m);
  assert.match(report, /^x +2 +none +none announced$/m);
  assert.match(report, /No version is about to end\./);
  assert.deepEqual(problems, []);
});

const versionsAt = (now: Date) => {
  const apiVersion = { version: "202609", sunset: "2027-09-15" };
  return diagnoseVersions(now, endingVersions(now, [{ platform: "linkedin", apiVersion }]));
};

test("warns of a version that ends within 60 days, which is no problem yet", () => {
  const { report, problems } = versionsAt(new Date("2027-08-16T00:00:00Z"));
  assert.match(report, /^Warning: linkedin: .*ends on 2027-09-15, in 30 days\.$/m);
  assert.deepEqual(problems, []);
});

test("a version that has ended is a problem", () => {
  const { report, problems } = versionsAt(new Date("2027-09-15T00:00:00Z"));
  assert.match(report, /^Warning: linkedin: .*ended on 2027-09-15\.$/m);
  assert.deepEqual(problems, ["linkedin: API version 202609 ended on 2027-09-15."]);
});

test("says what a platform needs of the instance itself", () => {
  assert.match(diagnoseNeeds().report, /^tiktok: .*photos.*domain.*PUBLIC_URL/);
  assert.deepEqual(diagnoseNeeds().problems, []);
});

const answering = (body: unknown, status = 200) =>
  (async () => Response.json(body, { status })) as typeof fetch;

test("asks an instance for its health, whatever stands behind its address", async () => {
  const asked: string[] = [];
  const network = (async (input: string) => {
    asked.push(input);
    return Response.json({ status: "ok", warnings: ["x: ends."] });
  }) as typeof fetch;
  assert.deepEqual(await diagnoseInstance("https://akimbo.example/", network), {
    report: "https://akimbo.example/health is ok.\nWarning: x: ends.",
    problems: [],
  });
  assert.deepEqual(asked, ["https://akimbo.example/health"]);
});

const ill: [string, typeof fetch, RegExp][] = [
  [
    "late",
    answering({ status: "late", error: "The cron trigger has stopped." }, 503),
    /is late\. The cron trigger has stopped\.$/,
  ],
  ["something else", answering({ hello: "world" }, 404), /answers HTTP 404, but not as Akimbo/],
  ["no JSON", (async () => new Response("<html>")) as typeof fetch, /not as Akimbo/],
  [
    "silent",
    (async () => {
      throw new TypeError("fetch failed");
    }) as typeof fetch,
    /^Nothing answers at https:\/\/akimbo\.example\/health\.$/,
  ],
];
for (const [what, network, problem] of ill) {
  test(`an instance that is ${what} is a problem`, async () => {
    const { problems } = await diagnoseInstance("https://akimbo.example", network);
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? "", problem);
  });
}

test("a rule of the zone that refuses agents is a problem", async () => {
  const network = (async (address: string, { headers }: RequestInit) => {
    assert.equal(address, "https://akimbo.example/mcp");
    const isClaude = new Headers(headers).get("user-agent") === "Claude-User";
    return isClaude
      ? new Response("Blocked", { status: 403 })
      : new Response("", { status: 401, headers: { "www-authenticate": "Bearer" } });
  }) as typeof fetch;
  const { problems } = await diagnoseAgents("https://akimbo.example/", network);
  assert.equal(problems.length, 1);
  assert.match(problems[0] ?? "", /answers Claude-User with HTTP 403 .* AI Crawl Control/);
});

interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

const runDoctor = (options: string[], env: Record<string, string> = {}): Promise<Run> =>
  new Promise((resolve) => {
    const file = inProject("src/cli/akimbo.ts");
    const { AKIMBO_URL: _, ...inherited } = process.env;
    execFile(
      process.execPath,
      [file, "doctor", ...options],
      { env: { ...inherited, ...env } },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });

test("the command prints the table and ends with 0 while no version has ended", async () => {
  const ended = diagnoseVersions(new Date()).problems.length > 0;
  const { code, stdout } = await runDoctor([]);
  assert.equal(code, ended ? 1 : 0);
  assert.match(stdout, /^Platform +Version +Header +Sunset\n/);
  assert.match(stdout, /^tiktok: .*PUBLIC_URL/m);
});

test("--remote ends with 1 when the instance is not well, or none is named", async (t) => {
  const server = createServer((_, answer) => {
    answer.writeHead(503, { "content-type": "application/json" });
    answer.end(
      JSON.stringify({
        status: "down",
        error: "A part of the service does not answer: see `checks`.",
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const asked = await runDoctor(["--remote"], { AKIMBO_URL: `http://127.0.0.1:${port}` });
  assert.equal(asked.code, 1);
  assert.match(asked.stdout, /\/health is down\./);
  assert.match(asked.stderr, /A part of the service does not answer: see `checks`\./);
  const unnamed = await runDoctor(["--remote"]);
  assert.equal(unnamed.code, 1);
  assert.match(unnamed.stderr, /--remote needs AKIMBO_URL/);
});
