import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { inProject } from "../../src/cli/paths.ts";
import { minuteOf, runSchedule } from "../../src/cli/ticker.ts";
import { type StandIn, startEdge, startResolver, type Trouble, visit } from "./domain-servers.ts";
import { type LocalService, startLocalService } from "./local-service.ts";

const ZONE = "0123456789abcdef0123456789abcdef";
const POLL_MS = 100;

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
type Answer = any;

/** Ways in which a server may fail, and what is said of them. */
const TROUBLES: [what: string, trouble: Trouble][] = [
  ["refuses", { status: 403, body: '{"success":false,"errors":[{"code":10000}]}' }],
  ["allows no more", { status: 429, headers: { "retry-after": "120" }, body: "{}" }],
  ["is out of order", { status: 502, body: "<html>" }],
  ["answers too late", "late"],
];

let service: LocalService;
let offsetSeconds = 0;

/** Sends a call, and gives its whole answer. */
async function call(method: string, path: string, body?: object) {
  const response = await fetch(`${service.origin}/api/v1${path}`, {
    method,
    headers: { "x-api-key": service.token, "content-type": "application/json" },
    body: body ? JSON.stringify(body) : null,
  });
  const answer: Answer = await response.json();
  return { status: response.status, headers: response.headers, body: answer };
}

/** Moves the clock, and lets the minute's tick come. */
async function tickIn(seconds: number): Promise<void> {
  offsetSeconds += seconds;
  const response = await fetch(`${service.origin}/sandbox/api/clock`, {
    method: "POST",
    headers: { "x-api-key": service.token, "content-type": "application/json" },
    body: JSON.stringify({ offsetSeconds }),
  });
  assert.equal(response.status, 200);
  await runSchedule(service.origin, minuteOf(Date.now()), 0);
}

/** Each trouble is a 503 that says when to come again. */
async function meetTroubles(standIn: StandIn, act: () => ReturnType<typeof call>): Promise<void> {
  for (const [what, trouble] of TROUBLES) {
    standIn.trouble = trouble;
    const { status, headers, body } = await act();
    assert.deepEqual([status, body.code], [503, "UNAVAILABLE"], what);
    assert.ok(Number(headers.get("retry-after")) > 0, what);
  }
  standIn.trouble = null;
}

/** The one domain that there is. */
const only = async (): Promise<Answer> => {
  const { body } = await call("GET", "/domains");
  assert.equal(body.length, 1, JSON.stringify(body));
  return body[0];
};

/** Makes a link on a verified domain, visits it as others do, and sees it end with its domain. */
async function serveAndEnd(domain: Answer): Promise<void> {
  const { port } = service;
  const link = { url: "https://example.com/on", domainId: domain.id, slug: "sale" };
  const made = await call("POST", "/short-links", link);
  assert.equal(made.body.shortUrl, `https://${domain.domain}/sale`, JSON.stringify(made.body));
  const own = (await call("POST", "/short-links", { url: "https://example.com/own" })).body;
  const at = (host: string, path: string) => visit(port, host, path);
  assert.equal(await at(domain.domain, "/sale"), "https://example.com/on");
  assert.equal(await at(domain.domain, "/SALE?utm=1"), "https://example.com/on");
  assert.equal(await at(`localhost:${port}`, `/s/${own.slug}`), "https://example.com/own");
  for (const path of [
    `/${own.slug}`,
    `/s/${own.slug}`,
    "/",
    "/docs",
    "/health",
    "/api/v1/upload",
  ]) {
    assert.equal(await at(domain.domain, path), 404, path);
  }
  assert.equal(await at(`localhost:${port}`, "/s/sale"), 404);
  assert.equal(await at(`other.${domain.domain}`, "/sale"), 404);
  assert.deepEqual((await only())._count, { shortLinks: 1 });
  assert.equal((await call("DELETE", `/domains/${domain.id}`)).status, 200);
  assert.equal(await at(domain.domain, "/sale"), 404);
  assert.equal((await call("GET", `/short-links/${made.body.id}`)).status, 404);
  assert.deepEqual((await call("GET", "/domains")).body, []);
}

describe("a running server that asks DNS", () => {
  const records = new Map<string, string>();
  let resolver: StandIn;

  before(async () => {
    resolver = await startResolver(records);
    offsetSeconds = 0;
    service = await startLocalService({
      PLATFORM_ORIGINS: JSON.stringify({ "https://cloudflare-dns.com": resolver.origin }),
      RATE_LIMITS: "off",
    });
  });
  after(async () => {
    await service?.stop();
    await resolver?.stop();
  });

  test("verifies a domain by its records, serves its links, and ends them with it", async () => {
    const created = await call("POST", "/domains", { domain: "go.brand.example" });
    assert.equal(created.status, 200, JSON.stringify(created.body));
    const domain = created.body;
    assert.deepEqual([domain.verified, domain.edgeHostnameId], [false, null]);
    assert.equal((await only()).domain, "go.brand.example");
    const verify = () => call("POST", `/domains/${domain.id}/verify`);
    await meetTroubles(resolver, verify);
    const missing = await verify();
    assert.equal(missing.status, 400);
    assert.match(missing.body.error, /TXT record _akimbo\.go\.brand\.example .+CNAME record/);
    assert.equal(await visit(service.port, "go.brand.example", "/sale"), 404);

    records.set(`TXT ${domain.edgeOwnershipTxtName}`, `"${domain.edgeOwnershipTxtValue}"`);
    await tickIn(61);
    assert.equal((await only()).verified, false);
    records.set("CNAME go.brand.example", `${domain.edgeDcvCnameTarget}.`);
    await tickIn(61);
    assert.equal((await only()).verified, true);
    await serveAndEnd(domain);
  });
});

describe("a running server that asks the edge", () => {
  const hostnames: Parameters<typeof startEdge>[1] = [];
  const records = new Map<string, string>();
  let edge: StandIn;
  let resolver: StandIn;

  before(async () => {
    resolver = await startResolver(records);
    edge = await startEdge(ZONE, hostnames);
    offsetSeconds = 0;
    service = await startLocalService({
      PLATFORM_ORIGINS: JSON.stringify({
        "https://api.cloudflare.com": edge.origin,
        "https://cloudflare-dns.com": resolver.origin,
      }),
      CLOUDFLARE_API_TOKEN: "edge-token",
      CLOUDFLARE_ZONE_ID: ZONE,
      DEFAULT_PLAN: "pro",
      RATE_LIMITS: "off",
    });
  });
  after(async () => {
    await service?.stop();
    await edge?.stop();
    await resolver?.stop();
  });

  test("opens to a legacy plan, verifies a domain at the edge, serves its links, and removes it there", async () => {
    const create = () => call("POST", "/domains", { domain: "go.shop.example" });
    const refused = await create();
    assert.deepEqual([refused.status, refused.body.code], [403, "FORBIDDEN"]);
    assert.equal(hostnames.length, 0);
    const command = ["src/cli/akimbo.ts", "plan", "legacy-domains", "on", "--team", "demo"];
    await promisify(execFile)(process.execPath, command, {
      cwd: inProject("."),
      env: { ...process.env, STATE_DIR: service.stateDir },
    });

    await meetTroubles(edge, create);
    assert.deepEqual((await call("GET", "/domains")).body, []);
    const { status, body: domain } = await create();
    assert.equal(status, 200, JSON.stringify(domain));
    assert.deepEqual(
      [
        domain.edgeHostnameId,
        domain.edgeOwnershipTxtName,
        domain.edgeOwnershipTxtValue,
        domain.edgeDcvCnameTarget,
      ],
      [
        hostnames[0]?.id,
        "_akimbo.go.shop.example",
        domain.edgeOwnershipTxtValue,
        "go.shop.example.dcv.example",
      ],
    );
    const verify = () => call("POST", `/domains/${domain.id}/verify`);
    await meetTroubles(edge, verify);
    assert.equal((await verify()).status, 400);
    await tickIn(61);
    assert.equal((await only()).verified, false);
    const [hostname] = hostnames;
    assert.ok(hostname);
    hostname.status = "active";
    records.set(`TXT ${domain.edgeOwnershipTxtName}`, `"${domain.edgeOwnershipTxtValue}"`);
    await tickIn(61);
    assert.equal((await only()).verified, true);
    await serveAndEnd(domain);
    for (let i = 0; i < 50 && hostnames.length > 0; i++) await sleep(POLL_MS);
    assert.equal(hostnames.length, 0);
  });
});
