import assert from "node:assert/strict";
import { after, test } from "node:test";
import { buildBundle } from "../bench/bundle.ts";
import { startAkimbo } from "../bench/instance.ts";
import { Workspace } from "../bench/workspace.ts";

const workspace = new Workspace();
after(() => workspace.end());

/** Imports the parts that it is asked for, as a request does, and names those that cannot be. */
const IMPORTER = `
export * from "./worker.js";
export default {
  async fetch(request) {
    const failed = [];
    for (const name of await request.json()) {
      try {
        await import("./" + name);
      } catch (error) {
        failed.push(name + ": " + error.stack);
      }
    }
    return Response.json(failed);
  },
};
`;

test("each part of the deployed script can be imported within a request, in either order", async () => {
  const bundle = await buildBundle(workspace);
  const names = bundle.map(({ name }) => name);
  for (const order of [names, names.toReversed()]) {
    const { url } = await startAkimbo(workspace, { bundle, entry: IMPORTER });
    const answer = await fetch(url, { method: "POST", body: JSON.stringify(order) });
    assert.deepEqual(await answer.json(), []);
  }
});
