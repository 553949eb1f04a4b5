import { ask } from "../ask.ts";
import { arrivalsIn, type Shown } from "../feed.ts";
import { type Arrival, plainText } from "../findings.ts";
import type { LivePlatform } from "../live-platform.ts";
import type { Service } from "./service.ts";

/** Everything that all platforms have, each as often as it was received. */
export async function arrivalsOf(
  { origin }: Pick<Service, "origin">,
  platform: LivePlatform,
): Promise<Arrival[]> {
  const { posts } = await ask<{ posts: Shown[] }>(origin, {
    method: "GET",
    path: "/sandbox/api/posts",
  });
  return [...platform.arrivals, ...arrivalsIn(posts)].map((arrival) => ({
    ...arrival,
    text: plainText(arrival.text),
  }));
}
