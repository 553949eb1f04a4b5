import { expect, test } from "vitest";
import { begin } from "../../../src/platforms/bluesky/consent.ts";
import { APP, START } from "../consents.ts";

const HOME = "https://pds.example.com";

/** Starts at a server that answers the pushed request this way. */
const beginAt = (pushed: Response) => {
  const answers: Record<string, Response> = {
    "/.well-known/oauth-protected-resource": Response.json({ authorization_servers: [HOME] }),
    "/.well-known/oauth-authorization-server": Response.json({
      issuer: HOME,
      authorization_endpoint: `${HOME}/authorize`,
      token_endpoint: `${HOME}/token`,
      pushed_authorization_request_endpoint: `${HOME}/par`,
      client_id_metadata_document_supported: true,
    }),
    "/par": pushed,
  };
  return begin(
    async (input) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input);
      return answers[pathname] ?? new Response(null, { status: 404 });
    },
    { ...START, identifier: HOME },
    APP,
  );
};

test("a server that is down is tried again later", async () => {
  expect(await beginAt(new Response("<html>", { status: 500 }))).toMatchObject({
    ok: false,
    error: { failure: "unavailable", message: expect.stringContaining("HTTP 500") },
  });
});

test("a server's endless words about this instance leave our sentence whole", async () => {
  const words = { error: "invalid_client", error_description: `\u202e${"z".repeat(40_000)}` };
  const consentStart = await beginAt(Response.json(words, { status: 401 }));
  const message = consentStart.ok ? "" : consentStart.error.message;
  expect(message).toMatch(/does not accept this instance: z+\. Its owner .*ten minutes\.$/);
  expect(message.length).toBeLessThan(500);
});
