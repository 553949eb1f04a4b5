import { arrivalsIn, type Shown } from "../feed.ts";
import { type Arrival, plainText } from "../findings.ts";
import type { LivePlatform } from "../live-platform.ts";
import type { Service } from "./service.ts";

/** Everything that all platforms have, each as often as it was received. */
export async function arrivalsOf(
  { origin }: Pick<Service, "origin">,
  platform: LivePlatform,
): Promise<Arrival[]> {
  const response = await fetch(`${origin}/sandbox/api/posts`);
  const { posts } = (await response.json()) as { posts: Shown[] };
  return [...platform.arrivals, ...arrivalsIn(posts)].map((arrival) => ({
    ...arrival,
    text: plainText(arrival.text),
  }));
}
