import * as z from "zod";
import type { Connector } from "../../platforms/connector.ts";
import { agentSettings, describeSetting } from "../../platforms/kit/agent-settings.ts";
import type { FieldInfo, RawField } from "../../platforms/kit/form-fields.ts";
import { connectors } from "../../platforms/registry.ts";
import type { RawSettings } from "./new-post.ts";

function schemaOf({ type, values, minimum, maximum }: FieldInfo): z.ZodType {
  if (type === "boolean") return z.boolean();
  if (type === "array") return z.array(oneOf(values));
  if (type === "integer") {
    return z
      .number()
      .int()
      .min(minimum ?? Number.MIN_SAFE_INTEGER)
      .max(maximum ?? Number.MAX_SAFE_INTEGER);
  }
  return oneOf(values);
}

const oneOf = (values: FieldInfo["values"]): z.ZodType =>
  values && values.length > 0 ? z.enum(values as [string, ...string[]]) : z.string();

type Described = (connector: Connector, info: FieldInfo) => z.ZodType;

const toSchema = (describe: Described) =>
  z.strictObject(
    Object.fromEntries(
      connectors().map((connector) => {
        const own = agentSettings(connector).map(({ name, info }) => [
          name,
          describe(connector, info),
        ]);
        return [connector.platform, z.strictObject(Object.fromEntries(own)).optional()];
      }),
    ),
  );

export const settingsSchema = toSchema((connector, info) =>
  schemaOf(info).optional().describe(describeSetting(connector, info)),
);

/** Without descriptions, which an agent has read in another tool. */
export const sameSettingsSchema = toSchema((_, info) => schemaOf(info).optional());

type SettingsByPlatform = Record<string, Record<string, unknown> | undefined>;

const toField = (value: unknown): RawField =>
  Array.isArray(value) ? value.map(String) : String(value);

export function toRawSettings(connector: Connector, settings: SettingsByPlatform): RawSettings {
  const own = settings[connector.platform] ?? {};
  return Object.fromEntries(
    agentSettings(connector).flatMap(({ name, wireName }) =>
      own[name] === undefined ? [] : [[wireName, toField(own[name])]],
    ),
  );
}
