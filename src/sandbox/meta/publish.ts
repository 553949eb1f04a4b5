import { now } from "../../core/clock.ts";
import { DAY, SECOND } from "../../core/time.ts";
import type { Refusal } from "../kit/refusal.ts";
import { deliverAtOnce } from "../kit/simulator.ts";
import { type SteeredRefusals, steer } from "../kit/steered.ts";
import type { SandboxStore } from "../kit/store.ts";
import { type Container, type GraphContainers, newGraphId, shortcodeOf } from "./containers.ts";
import { type GraphCall, invalidParameter, requireSelf } from "./graph.ts";

interface Account {
  userId: string;
  username: string;
}

export interface GraphPost<Kind extends string> {
  id: string;
  shortcode: string;
  container: Container<Kind>;
}

interface Publishing<Kind extends string> {
  platform: "instagram" | "threads";
  containers: GraphContainers<Kind>;
  posts: {
    count(store: SandboxStore, where: { user_id: string }, sql: string, from: number): number;
  };
  postsPerDay: number;
  dailyCap(): Refusal;
  refusals: SteeredRefusals;
  authenticate(call: GraphCall): Promise<{ account: Account; token: string }>;
  requirePublishable(call: GraphCall, account: Account, id: string): Container<Kind>;
  parentOf?(container: Container<Kind>): string | undefined;
  permalinkOf(account: Account, post: GraphPost<Kind>): string;
  insert(store: SandboxStore, account: Account, post: GraphPost<Kind>, permalink: string): void;
}

export function createPublishing<Kind extends string>(rules: Publishing<Kind>) {
  const { platform, containers, postsPerDay } = rules;

  const countOfDay = (store: SandboxStore, { userId }: Account): number =>
    rules.posts.count(store, { user_id: userId }, "AND created_at > ?", now().getTime() - DAY);

  function savePost({ env }: GraphCall, account: Account, container: Container<Kind>): string {
    const { store, origin } = env;
    const children = container.children.flatMap(
      (id) => containers.find(store, account.userId, id) ?? [],
    );
    const files = children.length > 0 ? children : [container];
    const id = newGraphId("180");
    const post = { id, shortcode: shortcodeOf(id), container };
    const url = rules.permalinkOf(account, post);
    containers.table.update(store, { id: container.id }, { published: true });
    rules.insert(store, account, post, url);
    store.savePost(origin, {
      platform,
      key: id,
      author: account.username,
      text: container.caption,
      fields:
        children.length > 0
          ? { ...container.received, items: children.map(({ received }) => received) }
          : container.received,
      media: files.flatMap(({ file_id, received }) =>
        file_id === null ? [] : [{ id: file_id, alt: received.alt_text ?? "" }],
      ),
      url,
      replyTo: rules.parentOf?.(container),
    });
    return id;
  }

  return {
    async publish(call: GraphCall): Promise<Response> {
      const { account, token } = await rules.authenticate(call);
      requireSelf(call, account);
      const { params } = call.var;
      const extra = [...params.keys()].find((name) => name !== "creation_id");
      if (extra) throw invalidParameter(`Param ${extra} is not allowed here`);
      const creationId = params.get("creation_id");
      if (!creationId) throw invalidParameter("The parameter creation_id is required.");

      // No await from here on: two calls could publish the same container.
      const container = rules.requirePublishable(call, account, creationId);
      const key = `${platform}/${container.id}`;
      const reply = steer(call.env, rules.refusals, { key, text: container.caption, token });
      if (countOfDay(call.env.store, account) >= postsPerDay) throw rules.dailyCap();
      return deliverAtOnce(reply, Response.json({ id: savePost(call, account, container) }));
    },

    async readPublishingLimit(call: GraphCall): Promise<Response> {
      const { account } = await rules.authenticate(call);
      requireSelf(call, account);
      const config = { quota_total: postsPerDay, quota_duration: DAY / SECOND };
      const quota_usage = countOfDay(call.env.store, account);
      return Response.json({ data: [{ quota_usage, config }] });
    },
  };
}
