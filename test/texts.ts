import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const PREFIX = "texts:";

/** Programs of their own, and what is generated. A module of more than about five megabytes does not reach the runtime. */
const LEFT_OUT =
  /(^|\/)(node_modules|\.generated)\/|^(bench|browser|conformance|edge|n8n|peers|prove|upgrades)\//;

/**
 * Makes `import texts from "texts:src"` the texts of all modules of a folder by their paths within it: as one module,
 * for each module that a test loads costs it milliseconds.
 */
export const textsOfFolders = (root: string) => ({
  name: "texts-of-folders",
  enforce: "pre" as const,
  resolveId: (id: string) => (id.startsWith(PREFIX) ? `\0${id}` : undefined),
  load(id: string) {
    if (!id.startsWith(`\0${PREFIX}`)) return;
    const folder = join(root, id.slice(PREFIX.length + 1));
    const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
      (path) => /\.tsx?$/.test(path) && !LEFT_OUT.test(path),
    );
    const texts = paths.sort().map((path) => [path, readFileSync(join(folder, path), "utf8")]);
    return `export default ${JSON.stringify(Object.fromEntries(texts))};`;
  },
});
