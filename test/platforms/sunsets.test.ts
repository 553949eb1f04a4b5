import { expect, onTestFinished, test } from "vitest";
import { PLATFORMS, type Platform } from "../../src/core/platforms.ts";
import { linkedin } from "../../src/platforms/linkedin/index.ts";
import { connectors } from "../../src/platforms/registry.ts";
import { describeEnding, endingVersions, hasEnded } from "../../src/platforms/sunsets.ts";
import { Harness } from "../support/harness.ts";

type Sunsets = Partial<Record<Platform, string>>;

const versionsWith = (sunsets: Sunsets) =>
  PLATFORMS.map((platform) => ({
    platform,
    apiVersion: { version: "7", sunset: sunsets[platform] ?? null },
  }));

test.each<[string, Sunsets, string, [Platform, number, boolean][]]>([
  ["none is announced", {}, "2027-01-01T00:00:00Z", []],
  ["more than 60 days are left", { x: "2027-03-03" }, "2027-01-01T23:59:59Z", []],
  ["60 days are left", { x: "2027-03-03" }, "2027-01-02T00:00:00Z", [["x", 60, false]]],
  ["a second is left", { x: "2027-03-03" }, "2027-03-02T23:59:59Z", [["x", 1, false]]],
  ["the day has begun", { x: "2027-03-03" }, "2027-03-03T00:00:00Z", [["x", 0, true]]],
  ["it is long past", { x: "2027-03-03" }, "2027-03-13T12:00:00Z", [["x", -10, true]]],
  [
    "there are several: the earliest comes first",
    { tiktok: "2027-03-03", x: "2027-02-01", youtube: "2028-01-01" },
    "2027-02-01T00:00:00Z",
    [
      ["x", 0, true],
      ["tiktok", 30, false],
    ],
  ],
])("tells which versions end when %s", (_, sunsets, now, expected) => {
  const ending = endingVersions(new Date(now), versionsWith(sunsets));
  expect(ending.map((one) => [one.platform, one.daysLeft, hasEnded(one)])).toEqual(expected);
});

test.each([
  [10, "x: API version 7 ends on 2027-03-03, in 10 days."],
  [1, "x: API version 7 ends on 2027-03-03, in 1 day."],
  [0, "x: API version 7 ended on 2027-03-03."],
])("says it in a sentence, %i days before", (daysLeft, sentence) => {
  const ending = { platform: "x", version: "7", sunset: "2027-03-03", daysLeft } as const;
  expect(describeEnding(ending)).toBe(sentence);
});

test("every announced end is a date of the calendar", () => {
  for (const { sunset } of connectors().map(({ apiVersion }) => apiVersion)) {
    if (sunset === null) continue;
    expect(new Date(`${sunset}T00:00:00Z`).toISOString().slice(0, 10)).toBe(sunset);
  }
});

test("/health warns of what ends soon, and is no less healthy for it", async () => {
  const { apiVersion } = linkedin;
  linkedin.apiVersion = { ...apiVersion, version: "202603", sunset: "2027-03-16" };
  onTestFinished(() => {
    linkedin.apiVersion = apiVersion;
  });
  const health = async (now: string) => {
    const harness = new Harness();
    harness.deps.now = () => new Date(now);
    // The clock would call the work left by other tests late.
    const response = await harness.request("/health");
    return (await response.json()) as { warnings: string[]; checks: object };
  };
  expect(await health("2026-12-01T09:00:00Z")).toMatchObject({ warnings: [] });
  expect(await health("2027-02-14T00:00:00Z")).toMatchObject({
    warnings: ["linkedin: API version 202603 ends on 2027-03-16, in 30 days."],
    checks: { database: "ok", storage: "ok", cron: "ok" },
  });
});
