import type { FieldError } from "../../core/errors.ts";
import type { RawField } from "../../platforms/kit/form-fields.ts";
import { connectors } from "../../platforms/registry.ts";
import { PART_FIELDS, type RawSettings } from "../compose/new-post.ts";

const MAX_SHOWN_CHARACTERS = 100;

const refuse = (field: string, message: string): FieldError => ({
  field,
  message: `${field}: ${message}`,
});

const toText = (value: unknown): RawField =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : toField(value);

function toField(value: unknown): RawField {
  if (value === null) return undefined;
  if (typeof value === "object") {
    const isFlat = Array.isArray(value) && value.every((item) => typeof item !== "object");
    return isFlat ? value.map(String) : JSON.stringify(value);
  }
  return String(value);
}

const isPartField = (name: string): boolean => PART_FIELDS.some((field) => field === name);

function optionError(name: string, value: RawField): string | null {
  if (isPartField(name)) return null;
  const owners = connectors().filter(({ settings }) => Object.hasOwn(settings.infos, name));
  if (owners.length === 0) {
    return "no platform has this option. GET /platforms/capabilities shows those of each in settingsSchema.";
  }
  let first: string | null = null;
  for (const { settings } of owners) {
    const { errors } = settings.read({ [name]: value });
    const error = errors.find(({ field }) => field === name);
    if (!error) return null;
    first ??= error.message.slice(`${name}: `.length);
  }
  return first;
}

/** Options are named as in POST /upload. A value must be valid for at least one platform. */
export function readMetadata(text: string | null): { settings: RawSettings; errors: FieldError[] } {
  if (text === null || text.trim() === "") return { settings: {}, errors: [] };
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { settings: {}, errors: [refuse("metadata", "is not valid JSON.")] };
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    const message = 'must be a JSON object of platform options, such as {"is_aigc":true}.';
    return { settings: {}, errors: [refuse("metadata", message)] };
  }
  const settings: RawSettings = {};
  const errors: FieldError[] = [];
  for (const [name, json] of Object.entries(parsed)) {
    const value = isPartField(name) ? toText(json) : toField(json);
    const error = optionError(name, value);
    const field = `metadata.${name.slice(0, MAX_SHOWN_CHARACTERS).toWellFormed()}`;
    if (error) errors.push(refuse(field, error));
    else if (value !== undefined) settings[name] = value;
  }
  return { settings, errors };
}
