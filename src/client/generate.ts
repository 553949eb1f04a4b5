import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { OpenAPI3 } from "openapi-typescript";
import { readDocument } from "../cli/openapi.ts";

const HERE = import.meta.dirname;
const TYPES = join(HERE, ".generated", "api.ts");

/** Writes the client's types from the OpenAPI document, unless they are up to date. Files in forms are Blobs. */
export async function generateTypes(): Promise<void> {
  const document = await readDocument();
  const maker = await readFile(import.meta.filename);
  const tools = await readFile(join(HERE, "package.json"));
  const hash = createHash("sha256").update(document).update(maker).update(tools).digest("hex");
  const mark = `// Of ${hash}\n`;
  const known = await readFile(TYPES, "utf8").catch(() => "");
  if (known.startsWith(mark)) return;
  const { default: openapiTS, astToString } = await import("openapi-typescript");
  const { default: ts } = await import("typescript");
  const blob = ts.factory.createTypeReferenceNode("Blob");
  const types = await openapiTS(JSON.parse(document) as OpenAPI3, {
    // openapi-typescript's documentation shows this transform for files.
    transform: (schema) => (schema.format === "binary" ? blob : undefined),
  });
  await mkdir(dirname(TYPES), { recursive: true });
  await writeFile(TYPES, mark + astToString(types));
}

/** The declarations of the package's client, by the names of their files. */
export async function declareClient(): Promise<Record<string, string>> {
  await generateTypes();
  const { default: ts } = await import("typescript");
  const compilerOptions = { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext };
  const declarations: Record<string, string> = { "api.d.ts": await readFile(TYPES, "utf8") };
  for (const name of await readdir(HERE)) {
    if (!name.endsWith(".ts") || name === "generate.ts") continue;
    const source = await readFile(join(HERE, name), "utf8");
    const { outputText } = ts.transpileDeclaration(source, { compilerOptions });
    declarations[name.replace(/ts$/, "d.ts")] = outputText
      .replaceAll("./.generated/api.ts", "./api.js")
      .replaceAll(/from "(\.\/[\w-]+)\.ts"/g, 'from "$1.js"');
  }
  return declarations;
}

if (import.meta.main) await generateTypes();
