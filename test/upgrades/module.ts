import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { STATES } from "./states.ts";

const ID = "earlier-states";

const readStatements = (path: string): string[] =>
  gunzipSync(readFileSync(path))
    .toString("utf8")
    .split("\n")
    .map((line) => JSON.parse(line));

/** Makes `import states from "earlier-states"` the states of `states.ts` with what their files hold. */
export const earlierStates = (root: string) => ({
  name: ID,
  enforce: "pre" as const,
  resolveId: (id: string) => (id === ID ? `\0${ID}` : undefined),
  load(id: string) {
    if (id !== `\0${ID}`) return;
    const states = STATES.map((state) => {
      const path = join(root, "test/upgrades/states", state.name);
      return {
        ...state,
        facts: JSON.parse(readFileSync(`${path}.json`, "utf8")),
        statements: readStatements(`${path}.sql.gz`),
        sandbox: readStatements(`${path}-sandbox.sql.gz`),
      };
    });
    return `export default ${JSON.stringify(states)};`;
  },
});
