import { describe, expect, test } from "vitest";
import { refusedUrl } from "../../src/core/url-policy.ts";

const PRIVATE = "must not point at a private network";

describe("a public https address", () => {
  test.each([
    "https://example.com/",
    "https://example.com:443/",
    "https://example.com:8443/a",
    "https://example.com:80/",
    "HTTPS://EXAMPLE.COM/",
    "https://münchen.example/",
    "https://8.8.8.8/",
    "https://172.15.255.255/",
    "https://172.32.0.0/",
    "https://100.63.255.255/",
    "https://100.128.0.0/",
    "https://169.253.255.255/",
    "https://192.0.1.0/",
    "https://198.17.255.255/",
    "https://198.20.0.0/",
    "https://223.255.255.255/",
    "https://[2606:4700::1111]/",
    "https://[2a00:1450:4001::1]/",
    "https://[2001:4860:4860::8888]/",
    "https://10.example.com/",
    "https://localhost.example.com/",
    "https://notlocal/".replace("notlocal", "my.notlocal"),
    "  https://example.com/  ",
    "https:\\\\example.com\\a",
    "https://@example.com/",
  ])("%s may be fetched", (url) => {
    expect(refusedUrl(url)).toBeNull();
  });
});

test.each<[string, RegExp | string]>([
  ["", "is not a URL"],
  ["example.com", "is not a URL"],
  ["http://example.com/", "must be an https URL"],
  ["ftp://example.com/", "must be an https URL"],
  ["javascript:alert(1)", "must be an https URL"],
  ["https://user@example.com/", /user name or password/],
  ["https://:secret@example.com/", /user name or password/],
  ["https://example.com:22/", /port/],
  ["https://example.com:8080/", /port/],
  ["https://example.com./", "must not have a host name that ends in a dot"],
  ["https://localhost./", "must not have a host name that ends in a dot"],
  ["https://intranet/", PRIVATE],
  ["https://a.local/", PRIVATE],
  ["https://a.internal/", PRIVATE],
  ["https://a.home.arpa/", PRIVATE],
  ["https://a.localhost/", PRIVATE],
  ["https://A.LOCAL/", PRIVATE],
])("%s is refused: it %s", (url, reason) => {
  expect(refusedUrl(url)).toMatch(reason);
});

test.each([
  ["0.0.0.0", "0.255.255.255"],
  ["10.0.0.0", "10.255.255.255"],
  ["100.64.0.0", "100.127.255.255"],
  ["127.0.0.0", "127.255.255.255"],
  ["169.254.0.0", "169.254.255.255"],
  ["172.16.0.0", "172.31.255.255"],
  ["192.0.0.0", "192.0.0.255"],
  ["192.0.2.0", "192.0.2.255"],
  ["192.168.0.0", "192.168.255.255"],
  ["198.18.0.0", "198.19.255.255"],
  ["198.51.100.0", "198.51.100.255"],
  ["203.0.113.0", "203.0.113.255"],
  ["224.0.0.0", "255.255.255.255"],
])("IPv4 is refused from %s to %s", (first, last) => {
  for (const address of [first, last]) {
    expect(refusedUrl(`https://${address}/`)).toBe(PRIVATE);
    expect(refusedUrl(`https://[::ffff:${address}]/`)).toBe(PRIVATE);
    expect(refusedUrl(`https://[64:ff9b::${address}]/`)).toBe(PRIVATE);
  }
});

test.each([
  ["::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["::1", "::ffff:ffff:ffff"],
  ["64:ff9b:1::", "100::ffff:ffff:ffff:ffff"],
  ["2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff"],
  ["2001:10::", "2001:2f:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["fc00::", "fdff::"],
  ["fe80::", "febf::"],
])("IPv6 is refused from %s to %s", (first, last) => {
  for (const address of [first, last]) expect(refusedUrl(`https://[${address}]/`)).toBe(PRIVATE);
});

test("http is for media only", () => {
  expect(refusedUrl("http://example.com/", { allowHttp: true })).toBeNull();
  expect(refusedUrl("http://10.0.0.1/", { allowHttp: true })).toBe(PRIVATE);
  expect(refusedUrl("ftp://example.com/", { allowHttp: true })).toMatch(/http or https/);
});

test.each([
  "http://localhost:3000/",
  "http://127.0.0.1:1/",
  "https://[::1]:9/",
  "http://127.1:80/",
])("development reaches %s, and no other private address", (url) => {
  expect(refusedUrl(url, { allowLoopback: true })).toBeNull();
  expect(refusedUrl("http://10.0.0.1:3000/", { allowLoopback: true })).not.toBeNull();
  expect(refusedUrl("http://a.localhost/", { allowLoopback: true })).toBe(PRIVATE);
  expect(refusedUrl("http://user@localhost/", { allowLoopback: true })).toMatch(/user name/);
});

test.each([
  "https://akimbo.example/",
  "https://AKIMBO.example:443/x",
  "https://akimbo.example\\@x/",
])("%s is ourselves", (url) => {
  expect(refusedUrl(url, { ownHosts: ["akimbo.example"] })).toMatch(/this service/);
});
