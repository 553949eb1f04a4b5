import { type Arrival, plainText } from "./findings.ts";

/** A post of the sandbox's feed. */
export interface Shown {
  id: number;
  text: string;
  received: number;
  url: string;
  replyTo: number | null;
  comments: { key: string; text: string; createdAt: string }[];
  createdAt: string;
}

/** Everything that the simulated platforms have, each as often as it was received. */
export function arrivalsIn(posts: readonly Shown[]): Arrival[] {
  const byId = new Map(posts.map((post) => [post.id, post]));
  return posts.flatMap((post) => {
    const parent = post.replyTo === null ? undefined : byId.get(post.replyTo);
    const under = parent && { parent: plainText(parent.text), root: rootOf(parent, byId) };
    const arrival: Arrival = {
      text: plainText(post.text),
      at: Date.parse(post.createdAt),
      url: post.url,
      ...(under ? { under } : {}),
    };
    const text = plainText(post.text);
    const comments = post.comments.map(
      (comment): Arrival => ({
        text: plainText(comment.text),
        at: Date.parse(comment.createdAt),
        key: comment.key,
        under: { parent: text, root: text },
      }),
    );
    return [...Array.from({ length: post.received }, () => arrival), ...comments];
  });
}

function rootOf(post: Shown, byId: ReadonlyMap<number, Shown>): string {
  const parent = post.replyTo === null ? undefined : byId.get(post.replyTo);
  return parent ? rootOf(parent, byId) : plainText(post.text);
}
