import type { Connector } from "../connector.ts";
import { agentName, argumentOf } from "./agent-names.ts";
import type { FieldInfo } from "./form-fields.ts";

interface AgentSetting {
  name: string;
  wireName: string;
  info: FieldInfo;
}

/** Agents send these fields as text and title, not as settings. */
const TEXTS = new Set(["title", "description"]);

/** Returns only the first of two form fields for the same setting. */
export function agentSettings({ platform, settings }: Connector): AgentSetting[] {
  const byName = new Map<string, AgentSetting>();
  for (const [wireName, info] of Object.entries(settings.infos)) {
    const name = agentName(platform, wireName);
    if (!TEXTS.has(name) && !byName.has(name)) byName.set(name, { name, wireName, info });
  }
  return [...byName.values()];
}

const isUnlikeWords = (name: string): boolean => /[_A-Z]/.test(name);

function argumentsOf({ platform, settings, capabilities }: Connector): Map<string, string> {
  const names = Object.keys(settings.infos).map((wireName): [string, string] => {
    const name = agentName(platform, wireName);
    return [wireName, TEXTS.has(name) ? name : argumentOf(platform, wireName)];
  });
  return new Map([
    ...names.filter(([wireName]) => isUnlikeWords(wireName)),
    ["schedule_date", "scheduleDate"],
    ["alt_text of file", "altTexts of file"],
    ["alt_text:", "altTexts:"],
    [capabilities.textField, "text"],
  ]);
}

/** Replaces form fields by the names of an agent's arguments, but not inside quotes. */
export function inArguments(connector: Connector, message: string): string {
  const names = argumentsOf(connector);
  const longestFirst = [...names.keys()].sort((a, b) => b.length - a.length);
  const named = new RegExp(`(?<![\\w"@#./-])(?:${longestFirst.join("|")})(?![\\w"])`, "g");
  return message
    .replace(named, (name) => names.get(name) ?? name)
    .replace(/\bin photo\b/g, "in mediaUrls");
}

/** Omitted from descriptions, because agents send arrays. */
const FORM_LISTS =
  /,? (?:comma-separated|separated by commas)(?: or repeated| or as JSON array)?(?=[.;:,])/g;

const DEFAULT = / Default: [^;.]+[;.]/;

export function describeSetting(
  connector: Connector,
  { description, required, mustBeChosen }: FieldInfo,
): string {
  const listed = description.replace(FORM_LISTS, "");
  const own = mustBeChosen ? listed.replace(DEFAULT, "") : listed;
  return inArguments(connector, required || mustBeChosen ? `Needed. ${own}` : own);
}
