import { expect } from "vitest";
import { FORBIDDEN } from "../support/forbidden-urls.ts";
import { connectSandbox, createMember, form, harnessWith } from "../support/harness.ts";

export const FORBIDDEN_ADDRESSES = FORBIDDEN.filter(
  (url) => /^https?:/.test(url) && URL.canParse(url),
);

export async function expectNotFollowed(location: string): Promise<void> {
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
}
