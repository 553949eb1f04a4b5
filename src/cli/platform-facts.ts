import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { formatCount } from "../core/counts.ts";
import { PLATFORMS, type Platform } from "../core/platforms.ts";
import { type PlatformSetup, pastesOf, setupOf } from "../features/setup/rules.ts";
import { NEEDED_FOR, namedAudited, reasonsOf } from "../features/setup/words.ts";
import type { Capabilities, Connector, MediaKind } from "../platforms/connector.ts";
import type { FieldInfo } from "../platforms/kit/form-fields.ts";
import { connectorOf, connectors } from "../platforms/registry.ts";
import type { SetupStep, Submission } from "../platforms/setup-steps.ts";
import { inProject } from "./paths.ts";
import { Problem } from "./program.ts";
import { formatBytes } from "./progress-bar.ts";
import { APP_KEY_NAMES } from "./vars.ts";

/** An instance replaces this address in the guides with its own. */
const EXAMPLE_ORIGIN = "http://localhost:8797";

const GIGABYTE = 1_000_000_000;

export const README = inProject("README.md");
export const EXAMPLE = inProject(".dev.vars.example");
export const guideOf = (platform: Platform): string =>
  inProject("src/docs/platforms", `${platform}.md`);

type Row = readonly string[];

const codes = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(", ");

const toLine = (cells: Row): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;

const toTable = (head: Row, rows: readonly Row[]): string =>
  [toLine(head), `|${"---|".repeat(head.length)}`, ...rows.map(toLine)].join("\n");

function describeMedia({ mediaSupport: { kinds, maxCount, textOnly } }: Capabilities): string {
  const what = [...(textOnly ? ["text"] : []), ...kinds].join(", ");
  return `${what}; ${maxCount === 1 ? "one file" : `up to ${maxCount} files`}`;
}

const describeRemoval = ({ removal: { calls, scope } }: Connector): string => {
  if (!calls) return "by hand";
  return scope ? `yes, with \`${scope}\`` : "yes";
};

export const formatPlatforms = (): string =>
  toTable(
    ["Platform", "Takes", "Posts in 24 h", "Takes down", "You need"],
    connectors().map((connector) => {
      const { platform, name, capabilities, needs } = connector;
      return [
        `[${name}](src/docs/platforms/${platform}.md)`,
        describeMedia(capabilities),
        String(capabilities.dailyPostCap),
        describeRemoval(connector),
        needs.app ?? "Nothing.",
      ];
    }),
  );

const KIND_LABELS: Record<MediaKind, string> = {
  image: "Images",
  video: "Videos",
  document: "Documents",
};

const toSize = (bytes: number): string =>
  bytes >= GIGABYTE ? `${bytes / GIGABYTE} GB` : formatBytes(bytes).replace(".0 ", " ");

function mediaRows({ mediaSupport }: Capabilities): Row[] {
  const { thumbnail } = mediaSupport;
  const files = mediaSupport.kinds.map((kind): Row => {
    const types = codes(mediaSupport[`${kind}Types`] ?? []);
    const maxBytes = mediaSupport[`${kind}MaxBytes`];
    return [
      KIND_LABELS[kind],
      maxBytes === undefined ? types : `${types}; up to ${toSize(maxBytes)}`,
    ];
  });
  if (!thumbnail) return files;
  const { types, maxBytes, note } = thumbnail;
  const limits = `${codes(types)}; up to ${toSize(maxBytes)}`;
  return [...files, ["Thumbnail", note ? `${limits}. ${note}` : limits]];
}

const LIMIT_LABELS: Record<keyof Capabilities["limits"], string> = {
  postCharacters: "Text",
  photoPostCharacters: "Text of photos",
  titleCharacters: "Title",
  altTextCharacters: "Alternative text",
  linkCharacters: "Link",
  tagsCharacters: "Tags",
};

const LIMIT_NAMES = Object.keys(LIMIT_LABELS) as (keyof Capabilities["limits"])[];

const limitRows = ({ limits, needsTitle }: Capabilities): Row[] =>
  LIMIT_NAMES.flatMap((name) => {
    const max = limits[name];
    if (max === null) return [];
    const needed = name === "titleCharacters" && needsTitle ? "needed, " : "";
    return [[LIMIT_LABELS[name], `${needed}up to ${formatCount(max)} characters`]];
  });

function setupRows(connector: Connector): Row[] {
  const setup = setupOf(connector, EXAMPLE_ORIGIN);
  const { app, variables, key, addresses, document, required, optional, extra } = setup;
  return [
    ["You need", app ?? "Nothing."],
    ["Keys", codes([...variables, ...(key ? [key.variable] : [])]) || "none"],
    ...addresses.map(({ field, url }) => [field, `\`${url}\``]),
    ...(document ? [["Read by the platform", `\`${document}\``]] : []),
    ["Scopes", codes(required) || "none"],
    ...(optional.length > 0 ? [["Optional scopes", codes(optional)]] : []),
    ...(extra.length > 0 ? [["Asked for only by `APP_SCOPES`", codes(extra)]] : []),
    ...pagesRows(setup),
  ];
}

function pagesRows({ pages }: PlatformSetup): Row[] {
  if (!pages) return [];
  return [
    ["Keys of the app for pages", codes(pages.variables)],
    ["Its scopes", codes(pages.required)],
    ["Its optional scopes", codes(pages.optional)],
    ...(pages.extra.length > 0 ? [["Asked for only by its `APP_SCOPES`", codes(pages.extra)]] : []),
  ];
}

function describeField({ type, values, required, description }: FieldInfo): string {
  const kind = values ? `one of ${codes(values)}` : type;
  return `${description}<br>${required ? "Needed. " : ""}${kind[0]?.toUpperCase()}${kind.slice(1)}.`;
}

export function formatFacts(platform: Platform): string {
  const connector = connectorOf(platform);
  const { apiVersion, capabilities, settings } = connector;
  const { version, header } = apiVersion;
  const note = capabilities.mediaSupport.note;
  const facts = toTable(
    ["Fact", "Value"],
    [
      ["Takes", describeMedia(capabilities)],
      ...mediaRows(capabilities),
      ...(note ? [["Note", note]] : []),
      ...limitRows(capabilities),
      ["Posts in 24 hours", String(capabilities.dailyPostCap)],
      ["[Takes down](../posts.md#take-down) posts", describeRemoval(connector)],
      ["API", header ? `\`${header}: ${version}\`` : version],
      ...setupRows(connector),
    ],
  );
  const fields = Object.entries(settings.infos).map(([name, info]) => [
    `\`${name}\``,
    describeField(info),
  ]);
  return [
    `## Facts\n\n${facts}`,
    `## Fields\n\nForm fields of a post that ${connector.name} alone has.\n\n${toTable(["Field", "Meaning"], fields)}`,
  ].join("\n\n");
}

function formatStep(step: SetupStep, number: number, platform: Platform): string {
  const { title, todo, page, before, after, takes, neededFor, scopes, variables } = step;
  const lines = [
    ...(neededFor === "everybody" ? [] : [`For: ${NEEDED_FOR[neededFor]}`]),
    `Before: ${before}`,
    `After: ${after}`,
    ...(takes === undefined ? [] : [`Takes: ${takes}`]),
    ...(step.endsLimits ? [`Then: ${namedAudited(platform)}`] : []),
    ...pastesOf(step, platform, EXAMPLE_ORIGIN).map(({ field, url }) => `${field}: \`${url}\``),
    ...(scopes ? [`Scopes: ${codes(scopes)}`] : []),
    ...(variables ? [`Variables: ${codes(variables)}`] : []),
  ];
  const indent = " ".repeat(`${number}. `.length);
  const head = `${number}. **[${title}](${page}).** ${todo}`;
  return [head, "", ...lines.map((line) => `${indent}- ${line}`)].join("\n");
}

const textBlock = (text: string): string => `\`\`\`text\n${text}\n\`\`\``;

function formatTexts(submission: Submission, connector: Connector): string {
  const reasons = reasonsOf(connector, submission).map(({ scope, reason, isExtra }) => [
    `\`${scope}\`${isExtra ? " (only by `APP_SCOPES`)" : ""}`,
    reason,
  ]);
  return [
    `What the app does:\n\n${textBlock(submission.purpose)}`,
    toTable(["Scope", "Why the app asks for it"], reasons),
  ].join("\n\n");
}

const formatRecording = ({ recording }: Submission, name: string): string => {
  const scenes = recording.map(
    ({ page, show }, index) =>
      `${index + 1}. ${page === null ? name : `\`${EXAMPLE_ORIGIN}${page}\``}: ${show}`,
  );
  return `The recording:\n\n${scenes.join("\n")}`;
};

/** Texts that an earlier step has too are named by its title. */
function formatSubmissions(steps: readonly SetupStep[], connector: Connector): string[] {
  const titles = new Map<string, string>();
  const once = (key: string, title: string, text: string): string => {
    const earlier = titles.get(key);
    if (earlier !== undefined) return `${text.split("\n")[0]} the same as for "${earlier}".`;
    titles.set(key, title);
    return text;
  };
  return steps.flatMap(({ title, submission }) => {
    if (!submission) return [];
    const { asks, purpose, recording } = submission;
    const texts = formatTexts(submission, connector);
    return [
      `### ${title}: what to send`,
      `${connector.name} asks for:\n\n${asks.map((one) => `- ${one}`).join("\n")}`,
      ...(submission.needsAccess
        ? [`Its reviewers sign in at your instance: [let them in](../connect.md#let-reviewers-in).`]
        : []),
      once(purpose, title, texts),
      ...(recording.length > 0
        ? [once(JSON.stringify(recording), title, formatRecording(submission, connector.name))]
        : []),
    ];
  });
}

export async function formatSteps(platform: Platform): Promise<string> {
  const connector = connectorOf(platform);
  const steps = await connector.setupSteps();
  return [
    "## Set up",
    `The owner of an instance ticks these steps at \`/app/setup/${platform}\`; [\`doctor\`](../connect.md#check-the-set-up) lists them. [Deploy](../operate.md#deploy) first: the forms ask for public addresses. [Set a variable](../settings.md#set-a-variable) says where the keys go.`,
    steps.map((step, index) => formatStep(step, index + 1, platform)).join("\n\n"),
    ...formatSubmissions(steps, connector),
  ].join("\n\n");
}

/** @throws Problem without `<!-- name -->` and `<!-- /name -->` in this order */
export function withBlock(text: string, name: string, content: string): string {
  const begin = `<!-- ${name} -->`;
  const end = `<!-- /${name} -->`;
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from === -1 || to < from) throw new Problem(`The file lacks ${begin} or ${end}.`);
  return `${text.slice(0, from + begin.length)}\n${content}\n${text.slice(to)}`;
}

export const withPlatforms = (readme: string): string =>
  withBlock(readme, "platforms", formatPlatforms());

export const withFacts = async (guide: string, platform: Platform): Promise<string> =>
  withBlock(withBlock(guide, "facts", formatFacts(platform)), "steps", await formatSteps(platform));

export function newGuide(platform: Platform): string {
  const { name } = connectorOf(platform);
  return `# ${name}\n\nWhat ${name} takes, and what its accounts need.\n\n<!-- facts -->\n<!-- /facts -->\n\n<!-- steps -->\n<!-- /steps -->\n`;
}

export const withAppKeys = (example: string): string =>
  example.replace(
    /(?:^\w+_CLIENT_(?:ID|SECRET)=\n)+/m,
    APP_KEY_NAMES.map((name) => `${name}=\n`).join(""),
  );

async function rewrite(
  path: string,
  change: (text: string) => string | Promise<string>,
  initial?: string,
) {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (initial === undefined) throw error;
    return initial;
  });
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, await change(text));
}

if (import.meta.main) {
  await rewrite(README, withPlatforms);
  await rewrite(EXAMPLE, withAppKeys);
  for (const platform of PLATFORMS) {
    await rewrite(guideOf(platform), (guide) => withFacts(guide, platform), newGuide(platform));
  }
}
