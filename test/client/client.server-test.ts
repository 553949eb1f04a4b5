import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { inProject } from "../../src/cli/paths.ts";
import { generateTypes } from "../../src/client/generate.ts";
import { buildBundle } from "../bench/bundle.ts";
import { startAkimbo } from "../bench/instance.ts";
import { createTeam } from "../bench/team.ts";
import { Workspace } from "../bench/workspace.ts";

const run = promisify(execFile);
const workspace = new Workspace();
after(() => workspace.end());

test("the client compiles, publishes a photo and reads it back", async () => {
  await generateTypes();
  const compiler = inProject("node_modules", "typescript", "bin", "tsc");
  const project = inProject("test", "client", "tsconfig.json");
  await run(process.execPath, [compiler, "-p", project, "--singleThreaded"]);

  const bundle = await buildBundle(workspace);
  const instance = await startAkimbo(workspace, { bundle });
  const { token } = await createTeam(instance, 1);
  const program = inProject("test", "client", "post.ts");
  const { stdout } = await run(process.execPath, [program, instance.url, token]);
  const { status, shareUrl, code } = JSON.parse(stdout);
  assert.equal(status, "completed");
  assert.match(shareUrl, /^https:\/\/bsky\.app\/profile\//);
  assert.equal(code, "NOT_FOUND");
});
