import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readDocument } from "../cli/openapi.ts";
import { inProject } from "../cli/paths.ts";
import { type ApiDocument, toPascal } from "./generator/document.ts";
import {
  type Operation,
  readOperations,
  writeConstant,
  writeMethod,
} from "./generator/operations.ts";
import { Shapes } from "./generator/shapes.ts";

/** Ignored by git, and part of the package. */
const FOLDER = join(import.meta.dirname, "akimbo", "_generated");

const HEAD =
  '"""Written by src/python/generate.ts from the OpenAPI document."""\n\nfrom __future__ import annotations\n\n';

const TYPING =
  "from typing import Any, Dict, List, Literal, Optional, Sequence, Union\n\nfrom typing_extensions import";

/** The files of the Python client that follow from the OpenAPI document, by their names. */
export function writeFiles(document: ApiDocument): Record<string, string> {
  const shapes = new Shapes(document.components.schemas);
  const operations = readOperations(document, shapes);
  const names = shapes.names.map((name) => JSON.stringify(name));
  const constants = operations.map(writeConstant).join("\n\n");
  return {
    "__init__.py": "",
    "types.py": `${HEAD}${TYPING} NotRequired, TypeAlias, TypedDict, final\n\nfrom .._values import File, JsonText, Time\n\n__all__ = [${names.join(", ")}]\n\n\n${shapes.write()}`,
    "operations.py": `${HEAD}from typing import Any, Dict, List, Literal, Union\n\nfrom .._operation import Operation\nfrom .types import *\n\n${constants}`,
    "groups.py": writeGroups(operations, false),
    "async_groups.py": writeGroups(operations, true),
  };
}

function writeGroups(operations: readonly Operation[], isAsync: boolean): string {
  const groups = Map.groupBy(operations, ({ group }) => group);
  const nameOf = (group: string) => `${isAsync ? "Async" : ""}${toPascal(group)}Calls`;
  const [send, base] = isAsync ? ["AsyncSend", "AsyncGroup"] : ["Send", "Group"];
  const classes = [...groups].map(
    ([group, own]) =>
      `class ${nameOf(group)}(${base}):\n${own.map((one) => writeMethod(one, isAsync)).join("\n")}`,
  );
  const members = [...groups.keys()].map(
    (group) => `        self.${group} = ${nameOf(group)}(send)\n`,
  );
  const all = `class ${isAsync ? "AsyncGroups" : "Groups"}:\n    """All operations of the API."""\n\n    def __init__(self, send: ${send}) -> None:\n${members.join("")}`;
  return `${HEAD}${TYPING} Unpack\n\nfrom .._operation import ${base}, ${send}\nfrom .._values import Time\nfrom .operations import *\nfrom .types import *\n\n\n${[...classes, all].join("\n\n")}`;
}

export async function generatePython(): Promise<void> {
  const files = writeFiles(JSON.parse(await readDocument()) as ApiDocument);
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  await copyFile(inProject(".github/LICENSE.md"), join(import.meta.dirname, "LICENSE.md"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(FOLDER, name), text);
}

if (import.meta.main) await generatePython();
