import { build, type Plugin } from "esbuild";
import { writeMigrationsModule } from "./migrations-module.ts";
import { inProject, PROJECT_DIR } from "./paths.ts";

/** Building the OpenAPI document never calls the Workers runtime, so an empty module replaces it. */
const withoutWorkerd: Plugin = {
  name: "without-workerd",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^cloudflare:(workers|sockets)$/ }, ({ path }) => ({
      path,
      namespace: "stand-in",
    }));
    onLoad({ filter: /.*/, namespace: "stand-in" }, () => ({
      contents: "export class DurableObject {} export const exports = {};",
    }));
  },
};

const ENTRY = `
import { createApiOf, DOCUMENT, loadRouters } from "./src/doors/api.ts";
import { toDocument } from "./src/http/openapi.ts";
const noDeps = () => { throw new Error("Nothing is answered here."); };
const app = createApiOf(noDeps, await loadRouters(DOCUMENT));
export const text = JSON.stringify(toDocument(app), null, 2);
`;

export async function readDocument(): Promise<string> {
  await writeMigrationsModule();
  const { outputFiles } = await build({
    stdin: { contents: ENTRY, resolveDir: PROJECT_DIR },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    jsx: "automatic",
    jsxImportSource: "hono/jsx",
    plugins: [withoutWorkerd],
    // CommonJS packages need a `require` function.
    banner: {
      js: `import { createRequire } from "node:module"; const require = createRequire(${JSON.stringify(inProject("package.json"))});`,
    },
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString("base64");
  const { text } = (await import(`data:text/javascript;base64,${code}`)) as { text: string };
  return text;
}

if (import.meta.main) console.log(await readDocument());
