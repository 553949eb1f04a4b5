import { expect, test } from "vitest";
import { coversScope, SCOPES, type Scope } from "../../src/core/scopes.ts";

/** Scopes that each scope covers beside itself. */
const IMPLIED: Partial<Record<Scope, Scope[]>> = {
  "*": SCOPES.filter((scope) => scope !== "*"),
  "posts:publish": ["posts:write", "posts:read"],
  "posts:write": ["posts:read"],
  "accounts:write": ["accounts:read"],
  "pools:write": ["pools:read"],
  "webhooks:write": ["webhooks:read"],
  "team:write": ["team:read"],
  "links:write": ["links:read"],
};

test.each(SCOPES)("%s covers itself, what it implies, and nothing else", (held) => {
  const covered = SCOPES.filter((needed) => coversScope([held], needed));
  expect(covered.sort()).toEqual([held, ...(IMPLIED[held] ?? [])].sort());
});

test("several scopes cover what each of them covers", () => {
  const held: Scope[] = ["links:write", "posts:read"];
  const covered = SCOPES.filter((needed) => coversScope(held, needed));
  expect(covered.sort()).toEqual(["links:read", "links:write", "posts:read"]);
});

test("no scope covers nothing", () => {
  for (const needed of SCOPES) expect(coversScope([], needed)).toBe(false);
});
