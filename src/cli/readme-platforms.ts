import { readFile, writeFile } from "node:fs/promises";
import { PLATFORMS, type Platform } from "../core/platforms.ts";
import { connectorOf } from "../platforms/registry.ts";
import { VERSIONS } from "../platforms/versions.ts";
import { inProject } from "./paths.ts";
import { Problem } from "./program.ts";

const BEGIN = "<!-- platforms -->";
const END = "<!-- /platforms -->";

const HEAD = ["Platform", "Takes", "Posts in 24 h", "API", "You need", "Review", "Scopes"];

function toCells(platform: Platform): string[] {
  const { capabilities, needs } = connectorOf(platform);
  const { kinds, maxCount, textOnly } = capabilities.mediaSupport;
  const what = [...(textOnly ? ["text"] : []), ...kinds].join(", ");
  const { version, header } = VERSIONS[platform];
  return [
    platform,
    `${what}; ${maxCount === 1 ? "one file" : `up to ${maxCount} files`}`,
    String(capabilities.dailyPostCap),
    header ? `\`${header}: ${version}\`` : version,
    needs.app ?? "Nothing.",
    needs.review ?? "None.",
    needs.scopes.map((scope) => `\`${scope}\``).join(" ") || "none",
  ];
}

const toRow = (cells: string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;

/** The nine platforms as a Markdown table, in the spec's order. */
export const formatPlatforms = (): string =>
  [toRow(HEAD), `|${"---|".repeat(HEAD.length)}`, ...PLATFORMS.map(toCells).map(toRow)].join("\n");

/**
 * The README with that table between its marks.
 *
 * @throws Problem when it has no such marks
 */
export function withPlatforms(readme: string): string {
  const begin = readme.indexOf(BEGIN);
  const end = readme.indexOf(END);
  if (begin === -1 || end < begin) throw new Problem(`The README lacks ${BEGIN} or ${END}.`);
  const before = readme.slice(0, begin + BEGIN.length);
  return `${before}\n${formatPlatforms()}\n${readme.slice(end)}`;
}

export const README = inProject("README.md");

if (import.meta.main) await writeFile(README, withPlatforms(await readFile(README, "utf8")));
