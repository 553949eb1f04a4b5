import { expect, test } from "vitest";
import { readPage } from "../../../src/platforms/linkedin/metrics.ts";
import type { MetricsJob } from "../../../src/platforms/metrics.ts";

const NOW = new Date("2026-11-22T03:00:00Z");
const OLD = Date.parse("2025-01-01T00:00:00Z");
const NEW = Date.parse("2026-11-01T00:00:00Z");

test("shares and other posts are asked for apart; what is left out is nothing, or forgotten", async () => {
  const calls: string[] = [];
  const job: MetricsJob = {
    account: { platformAccountId: "urn:li:organization:7", handle: null, service: null },
    accessToken: "token",
    own: [],
    now: () => NOW,
    fetch: async (input, init) => {
      const { url } = new Request(input, init);
      calls.push(url.replace("https://api.linkedin.com/rest/", ""));
      if (url.includes("/posts?")) {
        return Response.json({
          elements: [
            { id: "urn:li:share:1", publishedAt: NEW, commentary: "One \\#x" },
            { id: "urn:li:ugcPost:2", publishedAt: NEW },
            { id: "urn:li:share:3", publishedAt: NEW },
            { id: "urn:li:share:4", publishedAt: OLD },
            { id: "urn:li:share:5", createdAt: NEW, lifecycleState: "DRAFT" },
          ],
        });
      }
      const [kind, id] = url.includes("&shares=") ? ["share", 1] : ["ugcPost", 2];
      const totalShareStatistics = { impressionCount: 9, likeCount: -2, commentCount: 1 };
      return Response.json({
        elements: [{ [kind]: `urn:li:${kind}:${id}`, totalShareStatistics }],
      });
    },
  };
  const page = await readPage(job, null);
  if (!page.ok) throw new Error();
  const outcome = { views: 9, likes: 0, comments: 1, shares: null };
  expect(page.value.posts.map(({ id, text, counters }) => [id, text, counters])).toEqual([
    ["urn:li:share:1", "One #x", outcome],
    ["urn:li:ugcPost:2", "", outcome],
    ["urn:li:share:3", "", { views: 0, likes: 0, comments: 0, shares: 0 }],
  ]);
  expect(page.value.cursor).toBeNull();
  const organization = "organizationalEntity=urn%3Ali%3Aorganization%3A7";
  const path = `organizationalEntityShareStatistics?q=organizationalEntity&${organization}`;
  const shares = [1, 3, 4].map((n) => `urn%3Ali%3Ashare%3A${n}`).join(",");
  expect(calls.slice(1)).toEqual([
    `${path}&shares=List(${shares})`,
    `${path}&ugcPosts=List(urn%3Ali%3AugcPost%3A2)`,
  ]);
});
