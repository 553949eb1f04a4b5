import { mkdir, writeFile } from "node:fs/promises";
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import ts from "typescript";
import { readDocument } from "../../src/cli/openapi.ts";
import { inProject } from "../../src/cli/paths.ts";

const BLOB = ts.factory.createTypeReferenceNode("Blob");

/** Writes the types of a client, generated from the document as anybody would. */
export async function generateClient(): Promise<void> {
  const document = JSON.parse(await readDocument()) as OpenAPI3;
  const types = await openapiTS(document, {
    // The generator's own recipe for files in a form.
    transform: (schema) => (schema.format === "binary" ? BLOB : undefined),
  });
  const folder = inProject("test", "client", ".generated");
  await mkdir(folder, { recursive: true });
  await writeFile(`${folder}/api.ts`, astToString(types));
}
