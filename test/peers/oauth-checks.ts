import assert from "node:assert/strict";
import { createGradientPng } from "../../src/cli/png.ts";
import type { Akimbo } from "./akimbo.ts";
import type { Pds, Person } from "./bluesky.ts";
import { createWalk } from "./oauth-walk.ts";
import {
  type Check,
  DELETE_RECORD,
  GET_RECORD,
  LOOK_UP_SECONDS,
  PUT_RECORD,
  rehearseWith,
} from "./posting.ts";
import type { Relay } from "./relay.ts";

/** Calls with a proof, whose answers Akimbo takes only with a nonce. */
const PROVEN = [
  "/oauth/par",
  "/oauth/token",
  "com.atproto.server.getSession",
  "com.atproto.repo.uploadBlob",
  PUT_RECORD,
  DELETE_RECORD,
];

/**
 * In the order in which they have to run: each builds on the ones before.
 *
 * @param relay stands between Akimbo and the server
 */
export function createOAuthChecks(akimbo: Akimbo, pds: Pds, relay: Relay): Check[] {
  const backTo = akimbo.origin.replace("localhost", "127.0.0.1");
  const walk = createWalk(akimbo, pds, { site: akimbo.origin, backTo });
  let person: Person;
  let accountId = "";

  return [
    {
      name: "a person who refuses at their own server's page connects nothing",
      run: async () => {
        person = await pds.createPerson("lin.test");
        const page = await walk.openPage(person);
        assert.match(await walk.refuse(page), /Nothing was connected/);
      },
    },
    {
      name: "connects by the server's own pages, in the permissions that were agreed to",
      run: async () => {
        const page = await walk.openPage(person);
        assert.match(await walk.agree(page, person), /lin\.test is connected/);
        accountId = await walk.findAccount(person);
        const sessions = await walk.listSessions(person);
        assert.equal(sessions.length, 1);
        assert.match(sessions[0]?.scope ?? "", /atproto transition:generic/);
      },
    },
    {
      name: "publishes a text and an image with proofs",
      run: async () => {
        const text = "By the server's own page";
        assert.equal((await walk.publish(accountId, { description: text })).text, text);
        const png = createGradientPng({
          width: 80,
          height: 60,
          from: [200, 80, 40],
          to: [20, 60, 160],
        });
        const photo = [new File([png], "one.png", { type: "image/png" })];
        const { embed } = await walk.publish(accountId, { description: "An image", photo });
        assert.equal(embed?.$type, "app.bsky.embed.images");
        const image = embed.images[0]?.image;
        assert.ok(png.equals(await pds.getBlob(person.did, image?.ref.$link ?? "")));
      },
    },
    {
      name: "finds the post of a proven call whose reply got lost, and makes no second one",
      run: async () => {
        const description = "The reply to this one gets lost";
        const lost = relay.loseNext(PUT_RECORD, "reply");
        const { body } = await akimbo.post({ accountId, description });
        await lost;
        const lookUps = relay.callsOf(GET_RECORD).length;
        await akimbo.advanceClock(LOOK_UP_SECONDS);
        const { metadata } = await akimbo.completed(body.data.uploadId);
        assert.equal((await pds.getPost(metadata.videoId)).text, description);
        assert.equal(relay.callsOf(GET_RECORD).length - lookUps, 1, "look-ups");
        const texts = (await pds.listPosts(person.did)).map(({ text }) => text);
        assert.equal(texts.filter((text) => text === description).length, 1);
      },
    },
    {
      name: "rehearses with proofs: the post is gone at the server",
      run: () => rehearseWith({ akimbo, pds, relay }, accountId, person),
    },
    {
      name: "renews the login with its key, and publishes on",
      run: () => walk.publishRenewed(accountId, person),
    },
    {
      name: "ends the session at the server when the account is disconnected",
      run: () => walk.disconnect(accountId, person),
    },
    {
      name: "the server sends a nonce with each answer to a call with a proof",
      run: async () => {
        const proven = relay.calls.filter(({ isProven }) => isProven);
        const names = proven.map(({ nsid }) => nsid);
        assert.deepEqual(
          PROVEN.filter((name) => !names.includes(name)),
          [],
          "not called",
        );
        const without = proven.filter(({ hasNonce }) => !hasNonce);
        assert.deepEqual(
          without.map(({ nsid, status }) => `${nsid} ${status}`),
          [],
          "without a nonce",
        );
      },
    },
  ];
}
