import assert from "node:assert/strict";
import { createGradientPng } from "../../src/cli/png.ts";
import type { Akimbo, PostFields, Refusal } from "./akimbo.ts";
import type { MastodonServer, Status } from "./mastodon-server.ts";
import type { Loss, Relay } from "./relay.ts";

export interface MastodonWorld {
  akimbo: Akimbo;
  server: MastodonServer;
  relay: Relay;
  /** In the text of each post, so that posts of an earlier run are not counted. */
  mark: string;
}

interface Account {
  id: string;
  accountName: string;
  status: string;
  serverLimits: Record<string, unknown> | null;
}

export interface Published extends Status {
  uploadId: number;
}

/** Actions of the checks on the account, and its posts at the server. */
export interface MastodonPosting {
  connect(): Promise<void>;
  /** Id of the account, once it is connected. */
  accountId(): string;
  /** Publishes for followers unless told otherwise, and reads back from the server what became of it. */
  publish(fields: PostFields): Promise<Published>;
  /** Publishes while the call that makes the post is lost, and reads back the one post of it. */
  publishDespite(loss: Loss, post: PostFields & { description: string }): Promise<Published>;
  toText(words: string): string;
}

export const STATUSES = "/api/v1/statuses";
export const VERIFY = "/api/v1/accounts/verify_credentials";

/** A post without an answer is looked up after 70 s, and by the sweep 20 s later at the latest. */
const LOOK_UP_SECONDS = 95;

export const FOLLOWERS_ONLY = { mastodon_visibility: "private" };

export const connectByToken = ({ akimbo, relay }: MastodonWorld, accessToken: string) =>
  akimbo.call<{ data: Account } & Refusal>("POST", "/accounts", {
    platform: "mastodon",
    service: relay.origin,
    credentials: { accessToken },
  });

export const getAccount = async ({ akimbo }: MastodonWorld, id: string): Promise<Account> =>
  (await akimbo.call<{ data: Account }>("GET", `/accounts/${id}`)).body.data;

export const toPhoto = (width: number, height: number): File => {
  const colours = { from: [width % 256, 40, 90], to: [30, height % 256, 160] } as const;
  const bytes = createGradientPng({ width, height, ...colours });
  return new File([bytes], "photo.png", { type: "image/png" });
};

export function createMastodonPosting(world: MastodonWorld): MastodonPosting {
  const { akimbo, server, relay, mark } = world;
  let accountId = "";

  async function readBack(uploadId: number): Promise<Published> {
    const { metadata } = await akimbo.completed(uploadId);
    const status = await server.getStatus(metadata.videoId);
    assert.equal(metadata.shareUrl, status.url);
    return { ...status, uploadId };
  }

  async function countPosts(text: string): Promise<number> {
    const texts = await Promise.all(
      (await server.listStatuses()).slice(0, 5).map(({ id }) => server.readText(id)),
    );
    return texts.filter((each) => each === text).length;
  }

  async function send(fields: PostFields): Promise<number> {
    const { status, body } = await akimbo.post({ accountId, ...FOLLOWERS_ONLY, ...fields });
    assert.equal(status, 200, body.error);
    return body.data.uploadId;
  }

  return {
    connect: async () => {
      const { status, body } = await connectByToken(world, server.token);
      assert.equal(status, 200, body.error);
      const { display_name, username } = await server.readPerson();
      assert.equal(body.data.accountName, display_name || username);
      assert.equal(body.data.status, "active");
      accountId = body.data.id;
    },
    accountId: () => accountId,
    publish: async (fields) => readBack(await send(fields)),
    publishDespite: async (loss, fields) => {
      const text = fields.description;
      const before = relay.callsOf(STATUSES).length;
      const lost = relay.loseNext(STATUSES, loss);
      const uploadId = await send(fields);
      await lost;
      assert.equal(await countPosts(text), loss === "reply" ? 1 : 0);
      await akimbo.leapTo(new Date(Date.now() + LOOK_UP_SECONDS * 1_000), 1);
      const published = await readBack(uploadId);
      await akimbo.setClock(new Date());
      assert.equal(await server.readText(published.id), text);
      assert.equal(await countPosts(text), 1);
      assert.equal(relay.callsOf(STATUSES).length - before, 1, "calls at the server");
      return published;
    },
    toText: (words) => `${words} (${mark})`,
  };
}
