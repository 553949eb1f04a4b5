import { expect, test } from "vitest";
import { withAppSecretProof } from "../../../src/platforms/meta/app-secret-proof.ts";

/** From `openssl dgst -sha256 -hmac secret` over "EAAtoken". */
const PROOF = "61b5257ec5c5a53e992ae4d93afa0975e1f1be671788f65a476b0689ad5d5dd5";

async function send(url: string, init?: RequestInit) {
  const sent: { url: URL; body: string; length: string | null }[] = [];
  const network = async (input: Request | string | URL, more?: RequestInit) => {
    const request = new Request(input, more);
    const length = request.headers.get("content-length");
    sent.push({ url: new URL(request.url), body: await request.text(), length });
    return new Response();
  };
  await withAppSecretProof(network, "secret")(new Request(url, init));
  return sent[0];
}

const headers = { authorization: "Bearer EAAtoken" };

test.each([["graph.facebook.com"], ["graph-video.facebook.com"]])(
  "calls of %s carry the proof of their token, and their body as it was",
  async (host) => {
    const body = new URLSearchParams({ message: "Hello" });
    const sent = await send(`https://${host}/v26.0/1/feed?a=1`, { method: "POST", headers, body });
    expect(sent?.url.searchParams.get("appsecret_proof")).toBe(PROOF);
    expect(sent?.url.searchParams.get("a")).toBe("1");
    expect(sent?.body).toBe("message=Hello");
  },
);

test.each([
  ["of another host", "https://rupload.facebook.com/video-upload/v26.0/1", headers],
  ["of Instagram", "https://graph.instagram.com/v26.0/me", headers],
  ["of Threads", "https://graph.threads.net/v1.0/me", headers],
  ["without a token", "https://graph.facebook.com/v26.0/oauth/access_token", {}],
])("a call %s carries none", async (_, url, with_) => {
  const sent = await send(url, { headers: with_ });
  expect(sent?.url.searchParams.has("appsecret_proof")).toBe(false);
});
