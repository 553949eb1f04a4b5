import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { connectSandbox, createMember, form, harnessWith } from "../support/harness.ts";

/** Addresses that must never be fetched, in every spelling. */
const FORBIDDEN = [
  // This machine.
  "http://127.0.0.1/",
  "https://127.0.0.1/a.png",
  "http://127.1/",
  "http://127.0.1/",
  "http://0x7f000001/",
  "http://0x7f.1/",
  "http://2130706433/",
  "http://0177.0.0.1/",
  "http://017700000001/",
  "http://127.0.0.1./",
  "http://１２７.０.０.１/",
  "http://①②⑦.⓪.⓪.①/",
  "http://127。0。0。1/",
  "http://%31%32%37.0.0.1/",
  "http://127.255.255.254/",
  "http://0/",
  "http://0.0.0.0/",
  "http://localhost/",
  "http://LOCALHOST/",
  "http://localhost./",
  "http://ｌocalhost/",
  "http://a.localhost/",
  "http://127.0.0.1:80/",
  "http://127.0.0.1:8787/",
  "http://[::1]/",
  "http://[0:0:0:0:0:0:0:1]/",
  "http://[::]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::ffff:7f00:1]/",
  "http://[::127.0.0.1]/",
  "http://[64:ff9b::127.0.0.1]/",
  "http://[64:ff9b:1::7f00:1]/",
  "http://[2002:7f00:1::]/",
  "http://[2001:0:7f00:1::]/",
  // Private, shared, link-local and special networks.
  "http://10.0.0.1/",
  "http://10.255.255.255/",
  "http://172.16.0.1/",
  "http://172.31.255.255/",
  "http://192.168.0.1/",
  "http://169.254.169.254/latest/meta-data/",
  "http://[::ffff:169.254.169.254]/",
  "http://[fd00:ec2::254]/",
  "http://100.64.0.1/",
  "http://192.0.0.1/",
  "http://192.0.2.1/",
  "http://198.18.0.1/",
  "http://198.51.100.1/",
  "http://203.0.113.1/",
  "http://224.0.0.1/",
  "http://240.0.0.1/",
  "http://255.255.255.255/",
  "http://[fc00::1]/",
  "http://[fe80::1]/",
  "http://[fec0::1]/",
  "http://[ff02::1]/",
  "http://[100::1]/",
  "http://[2001:db8::1]/",
  "http://[4000::1]/",
  "http://[3fff::1]/",
  "http://[2001:2::1]/",
  "http://[::1:2:3:4:5]/",
  // Names that only a private network knows.
  "http://intranet/",
  "http://router.local/",
  "http://metadata.google.internal/",
  "http://printer.home.arpa/",
  "http://printer.home.arpa./",
  "http://example.com./",
  // Other schemes, credentials, ports, and what is no address at all.
  "file:///etc/passwd",
  "data:image/png;base64,iVBORw0KGgo=",
  "blob:https://example.com/1",
  "ftp://example.com/a.png",
  "gopher://example.com/",
  "javascript:alert(1)",
  "java\tscript:alert(1)",
  "ws://example.com/",
  "about:blank",
  "https://user@example.com/a.png",
  "https://user:secret@example.com/a.png",
  "https://example.com@127.0.0.1/",
  "https://127.0.0.1\\@example.com/",
  "http:\\\\127.0.0.1\\",
  "https:127.0.0.1",
  "  http://127.0.0.1/  ",
  "http://127.0.0.1\t/",
  "ht\ntp://127.0.0.1/",
  "https://example.com:22/",
  "https://example.com:6379/",
  "https://example.com:99999/",
  "//127.0.0.1/a.png",
  "/etc/passwd",
  "example.com/a.png",
  "https://",
  "http://[::1/",
  "http://1.2.3.4.5.6/",
  "http://256.256.256.256/",
];

test("the table is long enough to mean something", () => {
  expect(new Set(FORBIDDEN).size).toBe(FORBIDDEN.length);
  expect(FORBIDDEN.length).toBeGreaterThanOrEqual(60);
});

const harness = harnessWith({
  isDevelopment: false,
  environment: "production",
  sandboxEnabled: true,
});
let hits = 0;
harness.network = async () => {
  hits++;
  return new Response("a canary");
};
beforeEach(() => {
  hits = 0;
});

test.each(["photo", "file", "video"])(
  "no forbidden address is taken as %s, nor fetched",
  async (field) => {
    const { token, teamId, ...member } = await createMember();
    const accountId = await connectSandbox(harness, { token, teamId, ...member });
    const taken: string[] = [];
    for (const url of FORBIDDEN) {
      const body = form({ accountId, description: "Hello", [field]: url });
      const answer = await harness.call("POST", "/upload", { token, body });
      if (answer.status !== 400) taken.push(url);
      else
        expect(answer.body.errors.map((error: { field: string }) => error.field)).toContain(field);
    }
    await harness.settle();
    await harness.drain();
    expect(taken).toEqual([]);
    expect(hits).toBe(0);
    const { results } = await env.DB.prepare("SELECT id FROM uploads WHERE team_id = ?")
      .bind(teamId)
      .all();
    expect(results).toEqual([]);
  },
);

test("no forbidden address is called as a Bluesky server", async () => {
  const { token } = await createMember();
  const login = {
    platform: "bluesky",
    identifier: "a.example.com",
    appPassword: "abcd-efgh-ijkl-mnop",
  };
  const own = { platform: "bluesky", credentials: { accessToken: "a.b.c" } };
  const called: string[] = [];
  for (const service of FORBIDDEN) {
    for (const way of [login, own]) {
      const answer = await harness.call("POST", "/accounts", { token, json: { ...way, service } });
      expect(answer.status).toBe(400);
      if (answer.body.errors[0].field !== "service") called.push(service);
    }
  }
  expect(called).toEqual([]);
  expect(hits).toBe(0);
});

test("a Bluesky server must be spoken to over https", async () => {
  const { token } = await createMember();
  const answer = await harness.call("POST", "/accounts", {
    token,
    json: {
      platform: "bluesky",
      identifier: "a.example.com",
      appPassword: "abcd-efgh-ijkl-mnop",
      service: "http://pds.example.com",
    },
  });
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: "service" }] } });
  expect(hits).toBe(0);
});

test.each(FORBIDDEN.filter((url) => /^https?:/.test(url) && URL.canParse(url)))(
  "a redirect to %s is not followed",
  async (location) => {
    const redirecting = harnessWith({ isDevelopment: false, sandboxEnabled: true });
    const member = await createMember();
    const accountId = await connectSandbox(redirecting, member);
    const fetched: string[] = [];
    redirecting.network = async (input) => {
      const { url } = new Request(input);
      fetched.push(url);
      return url === "https://cdn.example.com/a.png"
        ? new Response(null, { status: 302, headers: { location: new URL(location).href } })
        : new Response("a canary");
    };
    const created = await redirecting.call("POST", "/upload", {
      token: member.token,
      body: form({ accountId, description: "Hello", photo: "https://cdn.example.com/a.png" }),
    });
    expect(created.status).toBe(200);
    await redirecting.drain();
    expect(fetched).toEqual(["https://cdn.example.com/a.png"]);
    const read = await redirecting.call("GET", `/upload/${created.body.data.uploadId}`, {
      token: member.token,
    });
    expect(read.body.data).toMatchObject({
      status: "failed",
      failure: { code: "media_unreachable" },
    });
  },
);

test("three redirects are followed, a fourth is not, each without credentials", async () => {
  const redirecting = harnessWith({ isDevelopment: false, sandboxEnabled: true });
  const member = await createMember();
  const accountId = await connectSandbox(redirecting, member);
  const fetched: Request[] = [];
  redirecting.network = async (input, init) => {
    const request = new Request(input, init);
    fetched.push(request);
    const hop = Number(new URL(request.url).pathname.slice(1));
    return new Response(null, { status: 307, headers: { location: `/${hop + 1}` } });
  };
  await redirecting.call("POST", "/upload", {
    token: member.token,
    body: form({ accountId, description: "Hello", photo: "https://cdn.example.com/0" }),
  });
  await redirecting.drain();
  expect(fetched.map(({ url }) => new URL(url).pathname)).toEqual(["/0", "/1", "/2", "/3"]);
  for (const { headers } of fetched) {
    expect(headers.get("authorization")).toBeNull();
    expect(headers.get("x-api-key")).toBeNull();
    expect(headers.get("cookie")).toBeNull();
  }
});
