import { expect, test } from "vitest";
import { basicOf } from "../../../src/sandbox/kit/input.ts";
import type { Call } from "../../../src/sandbox/kit/simulator.ts";

const read = (authorization: string | undefined) =>
  basicOf({ req: { header: () => authorization } } as unknown as Pick<Call, "req">);

test("an app names itself by HTTP Basic", () => {
  expect(read(`Basic ${btoa("id:secret")}`)).toEqual({ clientId: "id", secret: "secret" });
});

test.each([
  [undefined],
  ["Bearer abc"],
  ["Basic "],
  ["Basic ?"],
  ["Basic aWQ6cw"],
  [`Basic ${btoa("id")}`],
])("%j names none", (header) => {
  expect(read(header)).toBeNull();
});
