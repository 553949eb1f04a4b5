import { expect, test } from "vitest";
import type { Bookmark, Connector, Post, PublishJob } from "../../src/platforms/connector.ts";
import type { Likeness } from "../../src/platforms/likeness.ts";

type Sent = Pick<Likeness, "heading" | "text"> &
  Partial<Pick<Likeness, "poll" | "preview" | "altTexts">>;

const stored = (bookmark: Bookmark): Bookmark => JSON.parse(JSON.stringify(bookmark));

/** Runs every step, including `submit`. */
export async function publish<S>(
  connector: Connector<S>,
  job: PublishJob<S>,
  bookmark: Bookmark | null = null,
): Promise<void> {
  let step = await connector.prepare(job, bookmark);
  while (step.kind === "next" || step.kind === "waiting") {
    step = await connector.prepare(job, stored(step.bookmark));
  }
  if (step.kind !== "ready") throw new Error(JSON.stringify(step));
  await connector.submit(job, stored(step.bookmark));
}

/** Compares the likeness of each post with the texts that are sent. */
export function testTexts<S, C>(
  connector: Connector<S>,
  posts: [what: string, change: C, texts: Sent][],
  { toPost, send }: { toPost(change: C): Post<S>; send(change: C): Promise<Sent> },
): void {
  test.each(posts)("the likeness of %s has the texts that are sent", async (_, change, texts) => {
    expect(await send(change)).toEqual(texts);
    expect(await connector.likeness(toPost(change))).toMatchObject(texts);
  });
}
