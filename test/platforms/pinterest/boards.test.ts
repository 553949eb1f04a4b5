import { expect, test } from "vitest";
import { pinterest } from "../../../src/platforms/pinterest/index.ts";
import { type Answer, error, json, scriptedFetch } from "./scripted.ts";

async function list(answers: Answer[]) {
  const { fetch, calls } = scriptedFetch({ "GET /boards": answers });
  return { listed: await pinterest.extras?.boards?.(fetch, "pina_1"), calls };
}

test("reads all pages, and calls a protected board secret", async () => {
  const { listed, calls } = await list([
    json({
      items: [{ id: "549755885175", name: "Ideas", description: "New", privacy: "PUBLIC" }],
      bookmark: "a+b=",
    }),
    json({
      items: [
        { id: "2", name: "Ours", description: null, privacy: "PROTECTED" },
        { id: "3", name: "Mine", privacy: "SECRET", pin_count: 4 },
      ],
      bookmark: null,
    }),
  ]);
  expect(listed).toEqual({
    ok: true,
    value: [
      { id: "549755885175", name: "Ideas", description: "New", privacy: "PUBLIC" },
      { id: "2", name: "Ours", description: "", privacy: "SECRET" },
      { id: "3", name: "Mine", description: "", privacy: "SECRET" },
    ],
  });
  expect(calls.map(({ url }) => url)).toEqual([
    "https://api.pinterest.com/v5/boards?page_size=250",
    "https://api.pinterest.com/v5/boards?page_size=250&bookmark=a%2Bb%3D",
  ]);
});

test("ends a list that does not end", async () => {
  const endless = () => json({ items: [{ id: "1", name: "A", privacy: "PUBLIC" }], bookmark: "x" });
  const { calls } = await list(Array.from({ length: 20 }, endless));
  expect(calls).toHaveLength(10);
});

test.each<[Answer, object]>([
  [error(401, 2), { kind: "token_expired" }],
  [error(403, 29), { failure: { code: "account_disconnected" } }],
  [error(500), { failure: { code: "platform_unavailable" }, transient: true }],
])("tells a refusal", async (answer, expected) => {
  expect((await list([answer])).listed).toMatchObject({ ok: false, error: expected });
});

test("needs the scopes of secret boards as well, and says what happens before the review", async () => {
  const { scopes } = pinterest.needs;
  const steps = await pinterest.setupSteps();
  for (const what of ["boards", "pins"]) {
    for (const may of ["read", "write", "read_secret", "write_secret"]) {
      expect(scopes).toContain(`${what}:${may}`);
    }
  }
  expect(steps.find(({ id }) => id === "standard")?.before).toMatch(/refuses every pin/);
});
