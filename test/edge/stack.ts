import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { join, posix } from "node:path";
import type { Account, Version } from "./account.ts";

export interface LoggedError {
  message: string;
  /** Places in the source, `src/app.ts:12`, of the frames that the uploaded source maps know. */
  frames: string[];
}

const FRAME = /(?:^|[(\s/])((?:[\w.-]+\/)*[\w.-]+\.js):(\d+):(\d+)/g;

const mapOf = (account: Account, version: Version, module: string): SourceMap | null => {
  const path = join(account.versionFolder(version.id), `${module}.map`);
  return existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, "utf8"))) : null;
};

/** The place in a source file, such as `src/app.ts:12`; null where no map knows it. */
function placeOf(
  account: Account,
  version: Version,
  module: string,
  line: number,
  column: number,
): string | null {
  const entry = mapOf(account, version, module)?.findEntry(line - 1, column - 1);
  if (!entry || !("originalSource" in entry)) return null;
  const source = posix.normalize(posix.join("/", entry.originalSource));
  const at = source.lastIndexOf("/src/");
  return at < 0 ? null : `${source.slice(at + 1)}:${entry.originalLine + 1}`;
}

/** The frames of a text that lead to files of the source. */
export function mapFrames(account: Account, version: Version, text: string): string[] {
  const modules = new Set(version.modules.map(({ name }) => name));
  return [...text.matchAll(FRAME)].flatMap(([, name = "", line, column]) => {
    const module = modules.has(name) ? name : [...modules].find((one) => name.endsWith(`/${one}`));
    if (!module) return [];
    return placeOf(account, version, module, Number(line), Number(column)) ?? [];
  });
}

/** The lines with stacks that deployed Workers have logged, brought back to the source. */
export function readErrors(account: Account): LoggedError[] {
  const path = join(account.folder, "log.jsonl");
  if (!existsSync(path)) return [];
  const versions = account.state.scripts.flatMap((script) => script.versions);
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.includes(".js:"))
    .map((line) => {
      const { message } = JSON.parse(line) as { message: string };
      const frames = versions.toReversed().map((version) => mapFrames(account, version, message));
      return { message, frames: frames.find((places) => places.length > 0) ?? [] };
    });
}
