import * as z from "zod";
import type { Connector } from "../../../platforms/connector.ts";
import type { FieldInfo, RawField } from "../../../platforms/kit/form-fields.ts";
import { connectors } from "../../../platforms/registry.ts";
import type { RawSettings } from "../create/new-post.ts";

/** A setting of a platform under the name that agents give it. */
interface AgentSetting {
  /** In camelCase, without the platform's own name before it. */
  name: string;
  wireName: string;
  info: FieldInfo;
}

const camelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Texts of a post, which are no settings here: text and title carry them. */
const TEXTS = new Set(["title", "description"]);

/** Returns the settings of a platform; of two wire names for the same thing, the first. */
export function agentSettings({ platform, settings }: Connector): AgentSetting[] {
  const byName = new Map<string, AgentSetting>();
  for (const [wireName, info] of Object.entries(settings.infos)) {
    const name = camelCase(wireName.replace(`${platform}_`, ""));
    if (!TEXTS.has(name) && !byName.has(name)) byName.set(name, { name, wireName, info });
  }
  return [...byName.values()];
}

function schemaOf({ type, values, minimum, maximum }: FieldInfo): z.ZodType {
  if (type === "boolean") return z.boolean();
  if (type === "array") return z.array(z.string());
  if (type === "integer") {
    return z
      .number()
      .int()
      .min(minimum ?? Number.MIN_SAFE_INTEGER)
      .max(maximum ?? Number.MAX_SAFE_INTEGER);
  }
  return values && values.length > 0 ? z.enum(values as [string, ...string[]]) : z.string();
}

/** The argument `settings`: each platform's settings under its name. */
export const settingsSchema = z.strictObject(
  Object.fromEntries(
    connectors().map((connector) => {
      const own = agentSettings(connector).map(({ name, info }) => [
        name,
        schemaOf(info).optional(),
      ]);
      return [connector.platform, z.strictObject(Object.fromEntries(own)).optional()];
    }),
  ),
);

type Given = Record<string, Record<string, unknown> | undefined>;

const toField = (value: unknown): RawField =>
  Array.isArray(value) ? value.map(String) : String(value);

/** Returns a platform's settings as its form fields. */
export function toRawSettings(connector: Connector, given: Given): RawSettings {
  const own = given[connector.platform] ?? {};
  return Object.fromEntries(
    agentSettings(connector).flatMap(({ name, wireName }) =>
      own[name] === undefined ? [] : [[wireName, toField(own[name])]],
    ),
  );
}
