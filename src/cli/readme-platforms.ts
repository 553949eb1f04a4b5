import { readFile, writeFile } from "node:fs/promises";
import type { Platform } from "../core/platforms.ts";
import { setupOf } from "../features/connect/setup.ts";
import { connectorOf, PLATFORMS } from "../platforms/registry.ts";
import { inProject } from "./paths.ts";
import { Problem } from "./program.ts";
import { APP_KEY_NAMES } from "./vars.ts";

const BEGIN = "<!-- platforms -->";
const END = "<!-- /platforms -->";

const HEAD = [
  "Platform",
  "Takes",
  "Posts in 24 h",
  "API",
  "You need",
  "Review",
  "Keys",
  "Addresses to register",
  "Scopes",
];

function toCells(platform: Platform): string[] {
  const connector = connectorOf(platform);
  const { apiVersion, capabilities } = connector;
  const { app, review, variables, key, addresses, required, optional } = setupOf(connector, "");
  const { kinds, maxCount, textOnly } = capabilities.mediaSupport;
  const what = [...(textOnly ? ["text"] : []), ...kinds].join(", ");
  const { version, header } = apiVersion;
  return [
    platform,
    `${what}; ${maxCount === 1 ? "one file" : `up to ${maxCount} files`}`,
    String(capabilities.dailyPostCap),
    header ? `\`${header}: ${version}\`` : version,
    app ?? "Nothing.",
    review ?? "None.",
    listed([...variables, ...(key ? [key.variable] : [])]) || "none",
    addresses.map(({ field, url }) => `${field}: \`${url}\``).join("; ") || "none",
    toScopes(required, optional),
  ];
}

const listed = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(" ");

const toScopes = (required: readonly string[], optional: readonly string[]): string =>
  [
    ...(required.length > 0 ? [listed(required)] : []),
    ...(optional.length > 0 ? [`optional: ${listed(optional)}`] : []),
  ].join("; ") || "none";

const toRow = (cells: string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;

/** The platforms as a Markdown table, in the spec's order. */
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

/** The example of all settings with the keys of every platform's app. */
export const withAppKeys = (example: string): string =>
  example.replace(
    /(?:^\w+_CLIENT_(?:ID|SECRET)=\n)+/m,
    APP_KEY_NAMES.map((name) => `${name}=\n`).join(""),
  );

export const README = inProject("README.md");
export const EXAMPLE = inProject(".dev.vars.example");

if (import.meta.main) {
  await writeFile(README, withPlatforms(await readFile(README, "utf8")));
  await writeFile(EXAMPLE, withAppKeys(await readFile(EXAMPLE, "utf8")));
}
