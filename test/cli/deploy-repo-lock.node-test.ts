import assert from "node:assert/strict";
import { test } from "node:test";
import { lockOf } from "../../src/cli/deploy-repo-lock.ts";

test("a package inside another's folder is found before one beside it", () => {
  const manifest = {
    name: "x",
    version: "1",
    license: "MIT",
    engines: {},
    dependencies: { a: "1" },
  };
  const { packages } = lockOf(
    {
      lockfileVersion: 3,
      packages: {
        "node_modules/a": { version: "1", dependencies: { b: "1" } },
        "node_modules/a/node_modules/b": { version: "1", dependencies: { c: "1" } },
        "node_modules/b": { version: "2" },
        "node_modules/c": { version: "1", resolved: "https://registry.example/c" },
      },
    },
    manifest,
  );
  assert.deepEqual(Object.keys(packages), [
    "",
    "node_modules/a",
    "node_modules/a/node_modules/b",
    "node_modules/c",
  ]);
  assert.equal(packages["node_modules/c"]?.resolved, undefined);
});
