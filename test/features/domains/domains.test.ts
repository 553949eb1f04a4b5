import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { readDomainName } from "../../../src/features/domains/rules.ts";
import { createMember, type Harness, harnessWith, type Member } from "../../support/harness.ts";
import { loadOf } from "../../support/load.ts";
import { Visits } from "../../support/visits.ts";

const ZONE = "0123456789abcdef0123456789abcdef";
const EDGE = { apiToken: "edge-token", zoneId: ZONE };

let harness: Harness;
let owner: Member;
let visits: Visits;
let serial = 0;

async function begin(config: Parameters<typeof harnessWith>[0] = {}) {
  harness = harnessWith({ publicUrl: "https://akimbo.test", ...config });
  await env.DB.prepare("DELETE FROM domains").run();
  owner = await createMember();
  visits = new Visits(harness);
}

beforeEach(() => begin());

const call = (method: string, path: string, json?: unknown, { token } = owner) =>
  harness.call(method, path, { token, ...(json === undefined ? {} : { json }) });

const newHost = () => `go${++serial}.example.com`;

const add = async (domain = newHost(), json: object = {}) => {
  const { status, body } = await call("POST", "/domains", { domain, ...json });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};

/** The newest lines about domains: who, and what. */
const linesShown = async (): Promise<string[]> => {
  const { body } = await call("GET", "/activity?type=domain");
  return body.data.map((line: { actor: { type: string }; action: string }) =>
    [line.actor.type, line.action].join(" "),
  );
};

/** `broken` replaces every answer. */
function serveDns(records: Record<string, string[]>, broken?: () => Promise<Response>) {
  const queries: string[] = [];
  harness.network = async (input) => {
    const url = new URL(new Request(input).url);
    expect(url.origin).toBe("https://cloudflare-dns.com");
    if (broken) return broken();
    const name = `${url.searchParams.get("type")} ${url.searchParams.get("name")}`;
    queries.push(name);
    const type = name.startsWith("TXT") ? 16 : 5;
    const Answer = (records[name] ?? []).map((data) => ({ name, type, TTL: 60, data }));
    return Response.json({ Status: Answer.length > 0 ? 0 : 3, Answer });
  };
  return queries;
}

const recordsOf = (domain: Awaited<ReturnType<typeof add>>) => ({
  [`TXT ${domain.edgeOwnershipTxtName}`]: [`"other"`, `"${domain.edgeOwnershipTxtValue}"`],
  [`CNAME ${domain.domain}`]: [`${domain.edgeDcvCnameTarget.toUpperCase()}.`],
});

const verify = async (domain: Awaited<ReturnType<typeof add>>) => {
  serveDns(recordsOf(domain));
  return call("POST", `/domains/${domain.id}/verify`);
};

describe("without a way to the edge", () => {
  test("a domain is added with the records to add, and listed", async () => {
    const host = newHost();
    const domain = await add(host.toUpperCase());
    expect(domain).toEqual({
      success: true,
      id: domain.id,
      domain: host,
      userId: owner.userId,
      teamId: null,
      verified: false,
      createdAt: "2026-12-01T09:00:00.000Z",
      updatedAt: "2026-12-01T09:00:00.000Z",
      edgeHostnameId: null,
      edgeOwnershipTxtName: `_akimbo.${host}`,
      edgeOwnershipTxtValue: expect.stringMatching(/^akimbo-[0-9a-f]{32}$/),
      edgeDcvCnameTarget: "akimbo.test",
    });
    const shared = await add(newHost(), { teamId: owner.teamId });
    expect(shared.teamId).toBe(owner.teamId);
    const personal = await call("GET", "/domains");
    expect(personal.body).toEqual([
      expect.objectContaining({ id: domain.id, _count: { shortLinks: 0 } }),
    ]);
    const ofTeam = await call("GET", `/domains?teamId=${owner.teamId}`);
    expect(ofTeam.body).toEqual([expect.objectContaining({ id: shared.id })]);
    expect((await call("GET", `/domains?teamId=${owner.teamId + 1}`)).status).toBe(403);
  });

  test("it is verified once both records are there; before that it is told what is missing", async () => {
    const domain = await add();
    const records: Record<string, string[]> = {};
    serveDns(records);
    const first = await call("POST", `/domains/${domain.id}/verify`);
    expect(first.status).toBe(400);
    expect(first.body.error).toMatch(/TXT record _akimbo\..+CNAME record/);
    Object.assign(records, {
      [`CNAME ${domain.domain}`]: ["elsewhere.example."],
      ...recordsOf(domain),
    });
    delete records[`CNAME ${domain.domain}`];
    const second = await call("POST", `/domains/${domain.id}/verify`);
    expect(second.body.error).not.toContain("TXT");
    expect((await verify(domain)).body).toMatchObject({
      success: true,
      id: domain.id,
      verified: true,
    });
    serveDns({});
    expect((await call("POST", `/domains/${domain.id}/verify`)).body.verified).toBe(true);
    expect(await linesShown()).toEqual(["token domain.verified", "token domain.added"]);
  });

  test.each<[string, () => Promise<Response>]>([
    ["refuses", async () => new Response("no", { status: 403 })],
    ["allows no more", async () => new Response("slow down", { status: 429 })],
    ["fails", async () => Response.json({ Status: 2 })],
    ["answers nonsense", async () => Response.json(null)],
    ["answers too late", async () => Promise.reject(new DOMException("late", "TimeoutError"))],
  ])("DNS that %s is a 503, and the tick tries again", async (_, broken) => {
    const domain = await add();
    serveDns({}, broken);
    const answer = await call("POST", `/domains/${domain.id}/verify`);
    expect(answer).toMatchObject({ status: 503, body: { code: "UNAVAILABLE" } });
    expect(answer.headers.get("retry-after")).toBeTruthy();
    harness.advance(61);
    await harness.tick();
    serveDns(recordsOf(domain));
    harness.advance(61);
    await harness.tick();
    expect((await call("GET", "/domains")).body[0].verified).toBe(true);
    expect(await linesShown()).toEqual(["system domain.verified", "token domain.added"]);
  });

  test("one that is not verified in a week is given up, and others may have it", async () => {
    const domain = await add();
    const queries = serveDns({});
    const hoursApart = loadOf(12, 3);
    for (let hours = 0; hours <= 24 * 7; hours += hoursApart) {
      harness.advance(hoursApart * 3_600);
      await harness.tick();
    }
    expect((await call("GET", "/domains")).body).toEqual([]);
    expect(queries.length).toBeLessThan(170);
    owner = await createMember();
    await add(domain.domain);
  });

  test.each([
    "",
    "localhost",
    "example",
    "-a.example.com",
    "a..example.com",
    "192.0.2.1",
    "[::1]",
    "a b.example.com",
    "exa_mple.com",
    "https://go.example.com",
    "go.example.com/x",
    "*.example.com",
    "co.uk",
    "github.io",
    "com.au",
    "akimbo.test",
    "AKIMBO.test.",
    "a.local",
    "x.workers.dev",
    `${"a".repeat(64)}.example.com`,
    `${"a.".repeat(130)}com`,
    "go.example.com:8080",
    "user@example.com",
    "a.example.com\r\n.b",
  ])("is refused as a domain: %j", async (domain) => {
    expect((await call("POST", "/domains", { domain })).status).toBe(400);
  });

  test("names of other scripts are kept as DNS has them", () => {
    expect(readDomainName("GO.Bücher.example")).toBe("go.xn--bcher-kva.example");
    expect(readDomainName("ｇｏ.example.com.")).toBe("go.example.com");
  });

  test("is one team's alone; of several at once one wins", async () => {
    const domain = newHost();
    serveDns({});
    const members = await Promise.all([createMember(), createMember(), createMember()]);
    const answers = await Promise.all(
      members.map((member) => call("POST", "/domains", { domain }, member)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const lost = answers.find(({ status }) => status === 409);
    expect(lost?.body.code).toBe("DOMAIN_TAKEN");
  });

  test("of another team is not found", async () => {
    const { id } = await add();
    const stranger = await createMember();
    for (const [method, path] of [
      ["POST", `/domains/${id}/verify`],
      ["DELETE", `/domains/${id}`],
    ] as const) {
      expect((await call(method, path, undefined, stranger)).status).toBe(404);
    }
    const link = { url: "https://example.com/", domainId: id };
    const answer = await call("POST", "/short-links", link, stranger);
    expect(answer.body.errors).toEqual([
      { field: "domainId", message: expect.stringContaining("not a domain") },
    ]);
  });
});

/** The TXT record in a refusal: its name and value. */
function askedFor({ error }: { error: string }): Record<string, string[]> {
  const [, name, value] = /TXT record (\S+) with the value (akimbo-\w+)/.exec(error) ?? [];
  if (!name || !value) throw new Error(`No record is asked for: ${error}`);
  return { [`TXT ${name}`]: [`"${value}"`] };
}

describe("a domain that somebody else has added, and not shown to be theirs", () => {
  const claim = (domain: string, member: Member) => call("POST", "/domains", { domain }, member);
  const holdersOf = async (domain: string) => {
    const { results } = await env.DB.prepare(
      "SELECT team_id FROM domains WHERE host = ? AND deleted_at IS NULL",
    )
      .bind(domain)
      .all<{ team_id: number }>();
    return results.map(({ team_id }) => team_id);
  };

  test("is its owner's, who shows it by a record; whoever was first does not get it back", async () => {
    const squatter = owner;
    const { domain, id } = await add();
    owner = await createMember();
    serveDns({});
    const refused = await claim(domain, owner);
    expect(refused).toMatchObject({ status: 409, body: { code: "DOMAIN_TAKEN" } });
    expect(await holdersOf(domain)).toEqual([squatter.teamId]);
    const records = askedFor(refused.body);
    // The refusal has the same record each time, and another one for each team.
    expect(askedFor((await claim(domain, owner)).body)).toEqual(records);
    const third = askedFor((await claim(domain, await createMember())).body);
    expect(third).not.toEqual(records);
    serveDns(records);
    const own = await add(domain);
    expect(records).toEqual({
      [`TXT ${own.edgeOwnershipTxtName}`]: [`"${own.edgeOwnershipTxtValue}"`],
    });
    expect(await holdersOf(domain)).toEqual([owner.teamId]);
    expect((await call("POST", `/domains/${id}/verify`, undefined, squatter)).status).toBe(404);
    expect((await claim(domain, squatter)).status).toBe(409);
    expect((await verify(own)).body.verified).toBe(true);
    const late = await claim(domain, squatter);
    expect(late).toMatchObject({ status: 409, body: { code: "DOMAIN_TAKEN" } });
    expect(late.body.error).not.toContain("TXT");
    expect(await holdersOf(domain)).toEqual([owner.teamId]);
  });

  test("stays theirs while DNS cannot be asked, and where they show it first", async () => {
    const first = owner;
    const domain = await add();
    const other = await createMember();
    serveDns({}, async () => new Response("no", { status: 500 }));
    expect((await claim(domain.domain, other)).status).toBe(503);
    expect(await holdersOf(domain.domain)).toEqual([first.teamId]);
    serveDns({});
    const records = askedFor((await claim(domain.domain, other)).body);
    expect((await verify(domain)).body.verified).toBe(true);
    serveDns(records);
    expect((await claim(domain.domain, other)).status).toBe(409);
    expect(await holdersOf(domain.domain)).toEqual([first.teamId]);
  });

  test("is one team's where two show it at once", async () => {
    const { domain } = await add();
    const others = await Promise.all([createMember(), createMember()]);
    serveDns({});
    const name = `TXT _akimbo.${domain}`;
    const claims = await Promise.all(others.map((one) => claim(domain, one)));
    const texts = claims.flatMap(({ body }) => askedFor(body)[name] ?? []);
    serveDns({ [name]: texts });
    const answers = await Promise.all(others.map((one) => claim(domain, one)));
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    const last = await holdersOf(domain);
    expect(last).toHaveLength(1);
    expect(others.map(({ teamId }) => teamId)).toContain(last[0]);
  });
});

describe("a verified domain", () => {
  const mails: { subject: string; text: string }[] = [];

  beforeEach(async () => {
    await begin({ emailFrom: "akimbo@example.com" });
    mails.length = 0;
    harness.deps.email = {
      send: async (mail: (typeof mails)[0]) => void mails.push(mail),
    } as never;
  });

  /** Each day has two ticks: the daily check, and its notices a minute later. */
  async function pass(days: number): Promise<void> {
    for (let day = 0; day < days; day++) {
      harness.advance(86_400);
      await harness.tick();
      harness.advance(60);
      await harness.tick();
      await harness.drainNotices();
    }
  }

  const isVerified = async () => (await call("GET", "/domains")).body[0]?.verified;

  async function withLink() {
    const domain = await add();
    await verify(domain);
    const json = { url: "https://example.com/", domainId: domain.id };
    const { shortUrl, id } = (await call("POST", "/short-links", json)).body;
    return { domain, shortUrl, id };
  }

  test("is looked at daily; three days without its TXT record end it, and its people are told before", async () => {
    const { domain, shortUrl, id } = await withLink();
    const queries = serveDns({});
    await pass(1);
    expect(queries).toEqual([`TXT ${domain.edgeOwnershipTxtName}`]);
    expect(mails).toEqual([expect.objectContaining({ subject: "A domain loses its links soon" })]);
    expect(mails[0]?.text).toContain(
      `${domain.edgeOwnershipTxtName} with the value ${domain.edgeOwnershipTxtValue}`,
    );
    await pass(1);
    expect([await isVerified(), await visits.follow(shortUrl)]).toEqual([
      true,
      "https://example.com/",
    ]);
    await pass(1);
    expect([await isVerified(), await visits.follow(shortUrl)]).toEqual([false, 404]);
    expect(mails.at(-1)?.subject).toBe("A domain has lost its links");
    expect((await call("PUT", `/short-links/${id}`, { title: "x" })).status).toBe(200);
    expect((await verify(domain)).body.verified).toBe(true);
    expect(await visits.follow(shortUrl)).toBe("https://example.com/");
  });

  test("is another team's for the record once it has ended, and given up after a week", async () => {
    const { domain } = await withLink();
    serveDns({});
    await pass(3);
    owner = await createMember();
    const refused = await call("POST", "/domains", { domain: domain.domain });
    serveDns(askedFor(refused.body));
    await add(domain.domain);
    serveDns({});
    for (let day = 0; day < 9; day++) await pass(1);
    expect((await call("GET", "/domains")).body).toEqual([]);
  });

  test("stays while DNS is silent, and misses count only in a row", async () => {
    const { domain } = await withLink();
    const silent = async () => new Response("no", { status: 500 });
    for (const records of [{}, {}, recordsOf(domain), {}, {}, recordsOf(domain), {}]) {
      serveDns(records);
      await pass(1);
      serveDns({}, silent);
      await pass(1);
    }
    expect(await isVerified()).toBe(true);
  });

  test("stays when it leads elsewhere, for it is still theirs", async () => {
    const { domain } = await withLink();
    const { [`CNAME ${domain.domain}`]: _, ...records } = recordsOf(domain);
    serveDns(records);
    await pass(5);
    expect(await isVerified()).toBe(true);
  });
});

describe("plans", () => {
  const onPlan = (plan: string, isLegacy = 0) =>
    env.DB.prepare("UPDATE teams SET plan = ?, has_legacy_domains = ? WHERE id = ?")
      .bind(plan, isLegacy, owner.teamId)
      .run();

  test.each(["basic", "pro", "scale"])(
    "%s has no domains (403), unless they are legacy",
    async (plan) => {
      await onPlan(plan);
      const refused = await call("POST", "/domains", { domain: newHost() });
      expect(refused).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
      expect(refused.body.error).toContain("domainId");
      await onPlan(plan, 1);
      await add();
    },
  );

  test("a plan that ends takes no new links on a domain; the old ones stay", async () => {
    const domain = await add();
    await verify(domain);
    const link = { url: "https://example.com/", domainId: domain.id };
    const { shortUrl, id } = (await call("POST", "/short-links", link)).body;
    await onPlan("pro");
    expect((await call("POST", "/short-links", link)).status).toBe(403);
    expect((await call("PUT", `/short-links/${id}`, { title: "x" })).status).toBe(200);
    expect(await visits.follow(shortUrl)).toBe("https://example.com/");
    expect((await call("DELETE", `/domains/${domain.id}`)).status).toBe(200);
  });
});

describe("links on a domain", () => {
  test("wait for it to be verified, stand on it alone, and end with it", async () => {
    const domain = await add();
    const json = { url: "https://example.com/", domainId: domain.id, slug: "sale" };
    expect((await call("POST", "/short-links", json)).body.errors[0].field).toBe("domainId");
    await verify(domain);
    const { id, shortUrl } = (await call("POST", "/short-links", json)).body;
    expect(shortUrl).toBe(`https://${domain.domain}/sale`);
    expect(await visits.follow(shortUrl)).toBe("https://example.com/");
    expect(await visits.follow("https://akimbo.test/s/sale")).toBe(404);
    const own = (await call("POST", "/short-links", { url: "https://example.com/own" })).body;
    expect(await visits.follow(`https://${domain.domain}/${own.slug}`)).toBe(404);
    expect(await visits.follow(`https://${domain.domain}/s/${own.slug}`)).toBe(404);
    expect(await visits.follow(`https://${domain.domain}/docs`)).toBe(404);
    expect((await call("GET", "/domains")).body[0]._count).toEqual({ shortLinks: 1 });
    expect((await call("DELETE", `/domains/${domain.id}`)).body).toMatchObject({ id: domain.id });
    expect(await visits.follow(shortUrl)).toBe(404);
    expect((await call("GET", `/short-links/${id}`)).status).toBe(404);
    expect((await call("GET", "/domains")).body).toEqual([]);
  });

  test("are no destinations, and lead in no circle", async () => {
    const [first, second] = [await add(), await add()];
    const url = `https://${second.domain}/b`;
    await verify(first);
    const a = (await call("POST", "/short-links", { url, domainId: first.id, slug: "a" })).body;
    await verify(second);
    const back = await call("POST", "/short-links", {
      url: a.shortUrl,
      domainId: second.id,
      slug: "b",
    });
    expect(back.body.errors).toEqual([
      { field: "url", message: expect.stringContaining("short link") },
    ]);
    const again = await call("PUT", `/short-links/${a.id}`, { url });
    expect(again.status).toBe(400);
    const moved = await call("PUT", `/short-links/${a.id}`, { domainId: null });
    expect(moved.body.errors).toEqual([
      { field: "url", message: expect.stringContaining("short link") },
    ]);
  });

  test("lead nowhere once a destination has become one, by a rule or for a bot too", async () => {
    const [first, second] = [await add(), await add()];
    const url = `https://${second.domain}:8443/b?x=1`;
    await verify(first);
    const make = async (json: object) =>
      (await call("POST", "/short-links", { url: "https://example.com/", ...json })).body.shortUrl;
    const [plain, ruled, guarded] = [
      await make({ url, domainId: first.id }),
      await make({ rules: [{ type: "geo", countryCodes: "DE", destination: url }] }),
      await make({ botProtection: true, safeUrl: url }),
    ];
    const bot = { headers: { "user-agent": "curl/8.5.0" } };
    const follow = async () => [
      await visits.follow(plain),
      await visits.follow(ruled, { country: "DE" }),
      await visits.follow(ruled),
      await visits.follow(guarded, bot),
    ];
    expect(await follow()).toEqual([url, url, "https://example.com/", url]);
    await verify(second);
    expect(await follow()).toEqual([404, 404, "https://example.com/", 404]);
  });

  test("are moved between domains", async () => {
    const domain = await add();
    await verify(domain);
    const link = (
      await call("POST", "/short-links", { url: "https://example.com/", slug: `m${serial}` })
    ).body;
    const moved = (await call("PUT", `/short-links/${link.id}`, { domainId: domain.id })).body;
    expect(moved).toMatchObject({
      shortUrl: `https://${domain.domain}/${link.slug}`,
      domainId: domain.id,
    });
    expect(await visits.follow(link.shortUrl)).toBe(404);
    expect(await visits.follow(moved.shortUrl)).toBe("https://example.com/");
    const back = (await call("PUT", `/short-links/${link.id}`, { domainId: null })).body;
    expect(back.shortUrl).toBe(link.shortUrl);
  });
});

describe("by the edge", () => {
  interface Hostname {
    id: string;
    hostname: string;
    status: string;
  }
  let hostnames: Hostname[];
  let calls: string[];
  /** TXT records by name. */
  let texts: Record<string, string[]>;
  /** Replaces Cloudflare's answer. */
  let broken: ((method: string) => Response | Promise<Response> | null) | null;

  const shown = ({ id, hostname, status }: Hostname) => ({
    id,
    hostname,
    status,
    ownership_verification: {
      type: "txt",
      name: `_cf-custom-hostname.${hostname}`,
      value: `own-${id}`,
    },
    ssl: {
      status,
      dcv_delegation_records: [
        { cname: `_acme-challenge.${hostname}`, cname_target: `${hostname}.dcv.example` },
      ],
    },
  });

  beforeEach(async () => {
    await begin({ edge: EDGE });
    hostnames = [];
    calls = [];
    texts = {};
    broken = null;
    harness.network = async (input, init) => {
      const request = new Request(input, init);
      const url = new URL(request.url);
      if (url.origin === "https://cloudflare-dns.com") {
        const Answer = (texts[url.searchParams.get("name") ?? ""] ?? []).map((data) => ({
          type: 16,
          data,
        }));
        return Response.json({ Status: 0, Answer });
      }
      const base = `/client/v4/zones/${ZONE}/custom_hostnames`;
      expect(url.origin + url.pathname.slice(0, base.length)).toBe(
        `https://api.cloudflare.com${base}`,
      );
      expect(request.headers.get("authorization")).toBe("Bearer edge-token");
      calls.push(`${request.method} ${url.pathname.slice(base.length)}`.trim());
      const instead = broken?.(request.method);
      if (instead) return instead;
      const id = url.pathname.slice(base.length + 1);
      const existing = hostnames.find((one) => one.id === id);
      const ok = (result: unknown) => Response.json({ success: true, errors: [], result });
      const refuse = (status: number, code: number, message: string) =>
        Response.json({ success: false, errors: [{ code, message }], result: null }, { status });
      if (request.method === "GET") {
        return ok(
          hostnames
            .filter(({ hostname }) => hostname === url.searchParams.get("hostname"))
            .map(shown),
        );
      }
      if (request.method === "POST") {
        const { hostname } = await request.json<Hostname>();
        if (hostnames.some((one) => one.hostname === hostname)) {
          return refuse(409, 1406, "Duplicate custom hostname found.");
        }
        const made = { id: `edge-${++serial}`, hostname, status: "pending" };
        hostnames.push(made);
        return ok(shown(made));
      }
      if (!existing) return refuse(404, 1436, "The custom hostname was not found.");
      if (request.method === "PATCH") return ok(shown(existing));
      hostnames = hostnames.filter((one) => one !== existing);
      return Response.json({ id });
    };
  });

  test("a domain has the edge's four fields, is verified when it is active, and is removed from it", async () => {
    const domain = await add();
    const { id } = hostnames[0] as Hostname;
    expect(domain).toMatchObject({
      edgeHostnameId: id,
      edgeOwnershipTxtName: `_akimbo.${domain.domain}`,
      edgeOwnershipTxtValue: expect.stringMatching(/^akimbo-[0-9a-f]{32}$/),
      edgeDcvCnameTarget: `${domain.domain}.dcv.example`,
    });
    const early = await call("POST", `/domains/${domain.id}/verify`);
    expect(early.status).toBe(400);
    expect(early.body.error).toContain(domain.edgeOwnershipTxtValue);
    expect(early.body.error).toContain(`own-${id}`);
    publish(domain);
    const half = await call("POST", `/domains/${domain.id}/verify`);
    expect(half.status).toBe(400);
    expect(half.body.error).not.toContain(domain.edgeOwnershipTxtValue);
    (hostnames[0] as Hostname).status = "active";
    expect((await call("POST", `/domains/${domain.id}/verify`)).body.verified).toBe(true);
    await call("DELETE", `/domains/${domain.id}`);
    await harness.settle();
    expect(hostnames).toEqual([]);
    expect(
      await env.DB.prepare("SELECT 1 FROM domains WHERE id = ?").bind(domain.id).first(),
    ).toBeNull();
  });

  const publish = (domain: Awaited<ReturnType<typeof add>>) => {
    texts[domain.edgeOwnershipTxtName] = [`"${domain.edgeOwnershipTxtValue}"`];
  };

  test("a CNAME that an earlier owner left behind verifies nobody: the team's own TXT record does", async () => {
    const domain = await add();
    (hostnames[0] as Hostname).status = "active";
    const answer = await call("POST", `/domains/${domain.id}/verify`);
    expect(answer).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining(domain.edgeOwnershipTxtValue) },
    });
    harness.advance(61);
    await harness.tick();
    expect((await call("GET", "/domains")).body[0].verified).toBe(false);
    publish(domain);
    harness.advance(61);
    await harness.tick();
    expect((await call("GET", "/domains")).body[0].verified).toBe(true);
  });

  test("a domain of an older release is asked for the team's record, and Cloudflare's is enough", async () => {
    const domain = await add();
    const theirs = `_cf-custom-hostname.${domain.domain}`;
    await env.DB.prepare(
      "UPDATE domains SET verified_at = 1, txt_name = ?, txt_value = 'own-1' WHERE id = ?",
    )
      .bind(theirs, domain.id)
      .run();
    const look = async () => {
      harness.advance(86_400);
      await harness.tick();
      return env.DB.prepare("SELECT misses, txt_name, txt_value FROM domains WHERE id = ?")
        .bind(domain.id)
        .first();
    };
    texts[theirs] = ["own-1"];
    expect(await look()).toEqual({ misses: 0, txt_name: theirs, txt_value: "own-1" });
    delete texts[theirs];
    const own = { txt_name: domain.edgeOwnershipTxtName, txt_value: domain.edgeOwnershipTxtValue };
    expect(await look()).toEqual({ misses: 1, ...own });
    publish(domain);
    expect(await look()).toEqual({ misses: 0, ...own });
  });

  test("the tick verifies what has become active, and removes what could not be removed", async () => {
    const domain = await add();
    publish(domain);
    (hostnames[0] as Hostname).status = "active";
    harness.advance(61);
    await harness.tick();
    expect((await call("GET", "/domains")).body[0].verified).toBe(true);
    broken = () => new Response("down", { status: 502 });
    expect((await call("DELETE", `/domains/${domain.id}`)).status).toBe(200);
    await harness.settle();
    expect(hostnames).toHaveLength(1);
    broken = null;
    harness.advance(61);
    await harness.tick();
    expect(hostnames).toEqual([]);
  });

  test.each<[string, NonNullable<typeof broken>, number, RegExp]>([
    [
      "refuses the token",
      () =>
        Response.json(
          { success: false, errors: [{ code: 10000, message: "Authentication error" }] },
          { status: 403 },
        ),
      503,
      /CLOUDFLARE_API_TOKEN/,
    ],
    [
      "allows no more calls",
      () => new Response("{}", { status: 429, headers: { "retry-after": "120" } }),
      503,
      /later/,
    ],
    [
      "answers too late",
      () => Promise.reject(new DOMException("late", "TimeoutError")),
      503,
      /does not answer/,
    ],
    ["is out of order", () => new Response("<html>", { status: 502 }), 503, /./],
    [
      "answers nonsense",
      () => Response.json({ success: true, result: { id: 7 } }),
      503,
      /could not be read/,
    ],
    [
      "does not take the name",
      () =>
        Response.json(
          { success: false, errors: [{ code: 1414, message: "Blocked." }] },
          { status: 400 },
        ),
      400,
      /Blocked/,
    ],
  ])("an edge that %s is told so, and nothing is left behind", async (_, instead, status, told) => {
    broken = instead;
    const domain = newHost();
    const answer = await call("POST", "/domains", { domain });
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatch(told);
    expect((await call("GET", "/domains")).body).toEqual([]);
    broken = null;
    await add(domain);
  });

  test("a name whose answer got lost is taken over, one that works already is not", async () => {
    const domain = newHost();
    hostnames.push({ id: "lost", hostname: domain, status: "pending" });
    expect((await add(domain)).edgeHostnameId).toBe("lost");
    const other = newHost();
    hostnames.push({ id: "theirs", hostname: other, status: "active" });
    expect((await call("POST", "/domains", { domain: other })).status).toBe(400);
  });

  /** One team adds the domain; another, `owner` from now on, proves it. */
  async function contest(): Promise<string> {
    const { domain } = await add();
    owner = await createMember();
    const refused = await call("POST", "/domains", { domain });
    for (const [name, values] of Object.entries(askedFor(refused.body))) {
      texts[name.replace("TXT ", "")] = values;
    }
    return domain;
  }

  test("a domain that another team has only claimed is made anew for whoever shows it to be theirs", async () => {
    const domain = await contest();
    const [first] = hostnames;
    const own = await add(domain);
    expect(hostnames).toEqual([{ id: own.edgeHostnameId, hostname: domain, status: "pending" }]);
    expect(own.edgeHostnameId).not.toBe(first?.id);
    (hostnames[0] as Hostname).status = "active";
    publish(own);
    expect((await call("POST", `/domains/${own.id}/verify`)).body.verified).toBe(true);
  });

  test("an edge that keeps the first one's name hands it on, and the tick leaves it there", async () => {
    const domain = await contest();
    const [first] = hostnames;
    broken = (method) => (method === "DELETE" ? new Response("down", { status: 502 }) : null);
    expect((await add(domain)).edgeHostnameId).toBe(first?.id);
    broken = null;
    harness.advance(2 * 3_600);
    await harness.tick();
    expect(hostnames).toEqual([first]);
    const { results } = await env.DB.prepare("SELECT team_id FROM domains WHERE host = ?")
      .bind(domain)
      .all();
    expect(results).toEqual([{ team_id: owner.teamId }]);
  });

  test("no tick without a domain to look at asks anybody", async () => {
    await harness.tick();
    expect(calls).toEqual([]);
  });
});

test("an instance in production whose own address is not known takes no domains", async () => {
  await begin({ publicUrl: null, isDevelopment: false });
  expect(await call("POST", "/domains", { domain: newHost() })).toMatchObject({
    status: 503,
    body: { error: expect.stringContaining("PUBLIC_URL") },
  });
});
