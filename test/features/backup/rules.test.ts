import { describe, expect, test } from "vitest";
import manifest from "../../../package.json";
import { DAY, HOUR } from "../../../src/core/time.ts";
import { VERSION } from "../../../src/core/version.ts";
import {
  backupId,
  childrenFirst,
  expired,
  isBackedUp,
  isGivenUp,
  pageSize,
  startOf,
} from "../../../src/features/backup/rules.ts";

test("the version in a manifest is the version of the project", () => {
  expect(VERSION).toBe(manifest.version);
});

test("an id says when the backup began", () => {
  const at = new Date("2026-11-28T03:04:12.789Z");
  expect(backupId(at)).toBe("2026-11-28T030412Z");
  expect(startOf("2026-11-28T030412Z")).toEqual(new Date("2026-11-28T03:04:12Z"));
  for (const text of [
    "",
    "finished",
    "2026-11-28",
    "2026-13-28T030412Z",
    "../2026-11-28T030412Z",
  ]) {
    expect(startOf(text)).toBeNull();
  }
});

describe("backups that are kept", () => {
  const NOW = new Date("2026-11-28T03:00:00Z"); // A Saturday.
  const daysBack = (days: number, hours = 0) =>
    backupId(new Date(NOW.getTime() - days * DAY - hours * HOUR));
  const keptOf = (ids: string[]) => {
    const gone = expired(ids);
    return ids.filter((id) => !gone.includes(id)).map((id) => id.slice(0, 10));
  };
  const nightly = (nights: number) => Array.from({ length: nights }, (_, i) => daysBack(i));

  test.each<[string, string[], string[]]>([
    ["none", [], []],
    ["one, however old", [daysBack(4_000)], [daysBack(4_000).slice(0, 10)]],
    ["a week of nights", nightly(7), nightly(7).map((id) => id.slice(0, 10))],
    [
      "all of the last two days",
      [daysBack(0), daysBack(0, 1), daysBack(1), daysBack(1, 1), daysBack(2), daysBack(2, 1)],
      [0, 0, 1, 1, 2].map((days) => daysBack(days).slice(0, 10)),
    ],
    [
      "the newest of a day before",
      [daysBack(0), daysBack(5), daysBack(5, 1), daysBack(5, 2)],
      [0, 5].map((days) => daysBack(days).slice(0, 10)),
    ],
    [
      "the last of each week and month",
      nightly(70),
      [
        ...["2026-11-28", "2026-11-27", "2026-11-26", "2026-11-25", "2026-11-24", "2026-11-23"],
        // The last of seven days, and the Sunday of the week before.
        "2026-11-22",
        ...["2026-11-15", "2026-11-08"],
        ...["2026-10-31", "2026-09-30"],
      ],
    ],
    [
      "days that have one, not days that passed",
      [0, 10, 20, 30, 40, 50, 60].map((days) => daysBack(days)),
      [0, 10, 20, 30, 40, 50, 60].map((days) => daysBack(days).slice(0, 10)),
    ],
  ])("%s", (_, ids, kept) => {
    expect(keptOf(ids)).toEqual(kept);
    expect(keptOf(ids.toReversed()).toSorted()).toEqual(kept.toSorted());
  });

  test("are at most 7 of days, 4 of weeks and 12 of months, also after three years", () => {
    const ids = nightly(3 * 365);
    const kept = keptOf(ids);
    expect(kept.filter((day) => day.endsWith("-30") || day.endsWith("-31")).length).toBeLessThan(
      13,
    );
    expect(kept.length).toBeLessThanOrEqual(7 + 4 + 12);
    expect(kept.at(-1)).toBe("2025-12-31");
  });

  test("texts that are no ids are left alone", () => {
    expect(expired(["mine", "2026-11-28T030000Z", "../media"])).toEqual([]);
  });
});

test.each([
  ["2026-11-28T030000Z", "2026-11-30T03:00:00Z", false],
  ["2026-11-28T030000Z", "2026-12-01T03:00:01Z", true],
  ["mine", "2026-12-01T03:00:01Z", false],
])("the unfinished backup %s is given up at %s: %s", (id, now, isIt) => {
  expect(isGivenUp(id, new Date(now))).toBe(isIt);
});

test("tables with foreign keys are read before those that they refer to", () => {
  const tables = [
    { name: "users", sql: "CREATE TABLE users (id INTEGER)" },
    { name: "teams", sql: "CREATE TABLE teams (owner INTEGER REFERENCES users (id))" },
    { name: "uploads", sql: "CREATE TABLE uploads (id INTEGER)" },
    {
      name: "invites",
      sql: "CREATE TABLE invites (t INTEGER REFERENCES teams, u REFERENCES users)",
    },
    { name: "addresses", sql: 'CREATE TABLE addresses (i REFERENCES "invites" (id))' },
    { name: "archive_files", sql: "CREATE TABLE archive_files (team_id INTEGER)" },
    { name: "archive_members", sql: "CREATE TABLE archive_members (team_id INTEGER)" },
  ];
  const names = childrenFirst(tables).map(({ name }) => name);
  expect(names).toEqual([
    ...["addresses", "uploads", "archive_members", "archive_files"],
    ...["invites", "teams", "users"],
  ]);
});

test.each([
  ["uploads", true],
  ["chores", true],
  ["backups", false],
  ["backup_slices", false],
  ["sqlite_sequence", false],
  ["_cf_KV", false],
  ["d1_migrations", false],
  ["restoring_uploads", false],
])("the table %s is backed up: %s", (name, isIt) => {
  expect(isBackedUp(name)).toBe(isIt);
});

test("a page of the free plan is small", () => {
  expect(pageSize(50).sliceBytes * pageSize(50).slices).toBeLessThan(200_000);
  expect(pageSize(10_000).slices).toBeGreaterThan(pageSize(50).slices);
});
