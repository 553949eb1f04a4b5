import assert from "node:assert/strict";
import type { Akimbo, PostFields, Refusal } from "./akimbo.ts";
import type { Pds, Person, PostRecord } from "./bluesky.ts";
import type { Loss, Relay } from "./relay.ts";
import type { VideoService } from "./video-service.ts";

export interface World {
  akimbo: Akimbo;
  pds: Pds;
  relay: Relay;
  videoService: VideoService;
  jwtSecret: string;
  author: Person;
  friend: Person;
}

export interface Check {
  name: string;
  run(): Promise<void>;
}

interface Account {
  id: string;
  accountName: string;
  status: string;
}

/** Actions of the checks on the author's account, and the records on its PDS. */
export interface Posting {
  /** Connects the account by its app password. */
  connect(): Promise<void>;
  /** Id of the account, once it is connected. */
  accountId(): string;
  /** Publishes, and reads back from the PDS what became of it. */
  publish(fields: PostFields): Promise<PostRecord>;
  /** Publishes while the call that makes the post is lost, and reads back the one post of it. */
  publishDespite(loss: Loss, post: PostFields & { description: string }): Promise<PostRecord>;
  /** How many posts of that text the PDS has. */
  countPosts(text: string): Promise<number>;
}

export const PUT_RECORD = "com.atproto.repo.putRecord";
export const GET_RECORD = "com.atproto.repo.getRecord";
export const DELETE_RECORD = "com.atproto.repo.deleteRecord";

/** A submit without an answer is looked up after 55 s, and by the sweep 20 s later at the latest. */
export const LOOK_UP_SECONDS = 80;

export const connectAccount = ({ akimbo, relay }: World, login: object) =>
  akimbo.call<{ data: Account } & Refusal>("POST", "/accounts", {
    platform: "bluesky",
    service: relay.origin,
    ...login,
  });

/** Rehearses with an account, and looks at the server for what it did there and what is left of it. */
export async function rehearseWith(
  { akimbo, pds, relay }: Pick<World, "akimbo" | "pds" | "relay">,
  accountId: string,
  { did }: Person,
): Promise<void> {
  const before = await pds.listPosts(did);
  const begun = relay.calls.length;
  const { outcome, notes, summary, text, platformPostId } = await akimbo.rehearse(accountId);
  assert.equal(outcome, "removed", summary);
  assert.ok(notes.includes("Read back."), notes.join("\n"));
  const calls = relay.calls.slice(begun).filter(({ status }) => status === 200);
  const repliesTo = (nsid: string) =>
    calls.filter((call) => call.nsid === nsid).map(({ reply }) => reply as Got);
  assert.deepEqual(
    repliesTo(PUT_RECORD).map(({ uri }) => uri),
    [platformPostId],
  );
  assert.deepEqual(
    repliesTo(GET_RECORD).map(({ uri, value }) => [uri, value.text]),
    [[platformPostId, text]],
  );
  assert.equal(repliesTo(DELETE_RECORD).length, 1);
  await assert.rejects(pds.getPost(platformPostId ?? ""), /RecordNotFound/);
  assert.deepEqual(await pds.listPosts(did), before);
}

interface Got {
  uri: string;
  value: PostRecord;
}

export function createPosting(world: World): Posting {
  const { akimbo, pds, relay, author } = world;
  let accountId = "";

  async function countPosts(text: string): Promise<number> {
    return (await pds.listPosts(author.did)).filter((post) => post.text === text).length;
  }

  return {
    connect: async () => {
      const { handle: identifier, appPassword, did } = author;
      const { status, body } = await connectAccount(world, { identifier, appPassword });
      assert.equal(status, 200, body.error);
      assert.equal(body.data.accountName, identifier);
      assert.equal(body.data.status, "active");
      assert.equal(relay.session().did, did);
      accountId = body.data.id;
    },
    accountId: () => accountId,
    publish: async (fields) => {
      const { videoId, shareUrl } = (await akimbo.publish({ accountId, ...fields })).metadata;
      const uri = new RegExp(`^at://${author.did}/app\\.bsky\\.feed\\.post/[2-7a-z]{13}$`);
      assert.match(videoId, uri);
      assert.equal(
        shareUrl,
        `https://bsky.app/profile/${author.handle}/post/${videoId.slice(-13)}`,
      );
      return pds.getPost(videoId);
    },
    publishDespite: async (loss, fields) => {
      const text = fields.description;
      const puts = relay.callsOf(PUT_RECORD).length;
      const gets = relay.callsOf(GET_RECORD).length;
      const lost = relay.loseNext(PUT_RECORD, loss);
      const { body } = await akimbo.post({ accountId, ...fields });
      await lost;
      assert.equal(await countPosts(text), loss === "reply" ? 1 : 0);
      await akimbo.advanceClock(LOOK_UP_SECONDS);
      const { metadata } = await akimbo.completed(body.data.uploadId);
      const post = await pds.getPost(metadata.videoId);
      assert.equal(post.text, text);
      assert.equal(await countPosts(text), 1);
      assert.equal(relay.callsOf(PUT_RECORD).length - puts, 1, "calls of putRecord at the PDS");
      assert.equal(relay.callsOf(GET_RECORD).length - gets, 1, "look-ups");
      return post;
    },
    countPosts,
  };
}
