import type { Connector } from "../connector.ts";
import { agentName, argumentOf } from "./agent-names.ts";
import type { FieldInfo } from "./form-fields.ts";

/** A setting of a platform under the name that agents give it. */
interface AgentSetting {
  name: string;
  wireName: string;
  info: FieldInfo;
}

/** Texts of a post, which are no settings here: text and title carry them. */
const TEXTS = new Set(["title", "description"]);

/** Returns the settings of a platform; of two wire names for the same thing, the first. */
export function agentSettings({ platform, settings }: Connector): AgentSetting[] {
  const byName = new Map<string, AgentSetting>();
  for (const [wireName, info] of Object.entries(settings.infos)) {
    const name = agentName(platform, wireName);
    if (!TEXTS.has(name) && !byName.has(name)) byName.set(name, { name, wireName, info });
  }
  return [...byName.values()];
}

/** A name that no sentence has as a word. */
const isUnlikeWords = (name: string): boolean => /[_A-Z]/.test(name);

/** The names of a platform's form fields, and those of the arguments that stand for them. */
function argumentsOf({ platform, settings, capabilities }: Connector): Map<string, string> {
  const names = Object.keys(settings.infos).map((wireName): [string, string] => {
    const name = agentName(platform, wireName);
    return [wireName, TEXTS.has(name) ? name : argumentOf(platform, wireName)];
  });
  return new Map([
    ...names.filter(([wireName]) => isUnlikeWords(wireName)),
    ["schedule_date", "scheduleDate"],
    [capabilities.textField, "text"],
  ]);
}

/** Says what a platform's rules say in the names of the call's arguments; what is quoted stays as it is. */
export function inArguments(connector: Connector, message: string): string {
  const names = argumentsOf(connector);
  const longestFirst = [...names.keys()].sort((a, b) => b.length - a.length);
  const named = new RegExp(`(?<![\\w"@#./-])(?:${longestFirst.join("|")})(?![\\w"])`, "g");
  return message
    .replace(named, (name) => names.get(name) ?? name)
    .replace(/\bin photo\b/g, "in mediaUrls");
}

/** A list is an array here, however a form writes it. */
const FORM_LISTS =
  /,? (?:comma-separated|separated by commas)(?: or repeated| or as JSON array)?(?=[.;:,])/g;

/** An agent has no default where its user has to choose. */
const DEFAULT = / Default: [^;.]+[;.]/;

/** Describes a setting for an agent. */
export function describeSetting(
  connector: Connector,
  { description, required, mustBeChosen }: FieldInfo,
): string {
  const listed = description.replace(FORM_LISTS, "");
  const own = mustBeChosen ? listed.replace(DEFAULT, "") : listed;
  return inArguments(connector, required || mustBeChosen ? `Needed. ${own}` : own);
}
