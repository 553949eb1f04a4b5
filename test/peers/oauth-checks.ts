import assert from "node:assert/strict";
import { createGradientPng } from "../../src/cli/png.ts";
import type { Akimbo } from "./akimbo.ts";
import type { Pds, Person } from "./bluesky.ts";
import { createWalk } from "./oauth-walk.ts";
import type { Check } from "./posting.ts";

/** In the order in which they have to run: each builds on the ones before. */
export function createOAuthChecks(akimbo: Akimbo, pds: Pds): Check[] {
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
      name: "renews the login with its key, and publishes on",
      run: () => walk.publishRenewed(accountId, person),
    },
    {
      name: "ends the session at the server when the account is disconnected",
      run: () => walk.disconnect(accountId, person),
    },
  ];
}
