import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { createSampleVideo } from "../../src/cli/sample-video.ts";
import type { Akimbo } from "./akimbo.ts";
import type { Pds, Person } from "./bluesky.ts";
import { createWalk } from "./oauth-walk.ts";
import type { Check } from "./posting.ts";
import { readClaims } from "./tokens.ts";
import type { VideoService } from "./video-service.ts";

/** The address of the Akimbo that has one; of a name that is nobody's, and no server refuses to call. */
export const KEYED_SITE = "https://akimbo.internal";

const DOCUMENT = `${KEYED_SITE}/oauth/bluesky/client-metadata.json`;
const FILM_BYTES = 350_000;

interface OAuthError {
  error: string;
  error_description: string;
}

/**
 * An Akimbo that its own address and key stand for. In the order in which they have to run.
 *
 * @param blueskyKey its `BLUESKY_KEY`
 */
export function createOAuthKeyChecks(
  akimbo: Akimbo,
  pds: Pds,
  videoService: VideoService,
  blueskyKey: string,
): Check[] {
  const walk = createWalk(akimbo, pds, { site: KEYED_SITE, backTo: KEYED_SITE });
  let person: Person;
  let accountId = "";

  return [
    {
      name: "connects by the key that the server reads at this instance's address, and no secret of it",
      run: async () => {
        person = await pds.createPerson("mei.test");
        const page = await walk.openPage(person);
        assert.match(await walk.agree(page, person), /mei\.test is connected/);
        accountId = await walk.findAccount(person);
        const [session, ...others] = await walk.listSessions(person);
        assert.equal(others.length, 0);
        assert.equal(session?.clientId, DOCUMENT);
        assert.match(session.scope, /atproto transition:generic/);
        assert.equal(session.clientMetadata?.token_endpoint_auth_method, "private_key_jwt");
        const [key] = session.clientMetadata.jwks?.keys ?? [];
        const { kid, x, y } = JSON.parse(blueskyKey) as Record<string, string>;
        assert.deepEqual([key?.kid, key?.x, key?.y], [kid, x, y]);
        assert.ok(key && !("d" in key));
      },
    },
    {
      name: "whoever has the address of this instance alone is refused by the server",
      run: async () => {
        const response = await fetch(`${pds.origin}/oauth/par`, {
          method: "POST",
          body: new URLSearchParams({
            client_id: DOCUMENT,
            response_type: "code",
            redirect_uri: `${KEYED_SITE}/oauth/callback/bluesky`,
            scope: "atproto",
            state: "of somebody else",
            code_challenge: randomBytes(32).toString("base64url"),
            code_challenge_method: "S256",
          }),
        });
        const { error, error_description } = (await response.json()) as OAuthError;
        assert.equal(`${response.status} ${error}`, "400 invalid_request", error_description);
        assert.match(error_description, /"private_key_jwt" required a "client_assertion"/);
      },
    },
    {
      name: "publishes a video by the tokens that the server gives out for proofs",
      run: async () => {
        const film = createSampleVideo(randomBytes(8).toString("hex"), FILM_BYTES);
        const video = [new File([film], "film.mp4", { type: "video/mp4" })];
        const { embed } = await walk.publish(accountId, { description: "A video", video });
        assert.equal(embed?.$type, "app.bsky.embed.video");
        const stored = await pds.getBlob(person.did, embed.video.ref.$link);
        assert.ok(film.equals(stored), "the video has other bytes");
        const [delivery, ...others] = videoService.deliveries;
        assert.equal(others.length, 0);
        const { iss, lxm } = readClaims(delivery?.token ?? "");
        assert.deepEqual({ iss, lxm }, { iss: person.did, lxm: "com.atproto.repo.uploadBlob" });
      },
    },
    {
      name: "renews the login with both keys, and publishes on",
      run: () => walk.publishRenewed(accountId, person),
    },
    {
      name: "ends the session at the server, which believes the key, when the account is disconnected",
      run: () => walk.disconnect(accountId, person),
    },
  ];
}
