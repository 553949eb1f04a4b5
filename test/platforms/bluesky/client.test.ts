import { expect, test } from "vitest";
import { clientOf } from "../../../src/platforms/bluesky/client.ts";

const clientAt = (origin: string) =>
  clientOf({ origin, redirectUri: `${origin}/oauth/callback/bluesky` });

test("an instance is known by the address of its document", () => {
  expect(clientAt("https://social.example.com")).toEqual({
    ok: true,
    value: {
      id: "https://social.example.com/oauth/bluesky/client-metadata.json",
      redirectUri: "https://social.example.com/oauth/callback/bluesky",
    },
  });
});

test.each([
  ["http://localhost:8797", "http://127.0.0.1:8797"],
  ["http://127.0.0.1:8797", "http://127.0.0.1:8797"],
  ["http://[::1]:8797", "http://[::1]:8797"],
])("at %s people are sent back to %s", (origin, back) => {
  const redirectUri = `${back}/oauth/callback/bluesky`;
  const query = new URLSearchParams({
    redirect_uri: redirectUri,
    scope: "atproto transition:generic",
  });
  const id = `http://localhost?${query}`;
  expect(clientAt(origin)).toEqual({ ok: true, value: { id, redirectUri } });
});

test("plain http elsewhere is refused, with what to do", () => {
  const client = clientAt("http://192.168.1.2:8797");
  expect(!client.ok && client.error.message).toContain("https");
});
