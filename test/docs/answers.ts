/** Stands in a documented answer for members that it does not show. */
const MORE = "…";

/** Values that are compared, where of others only the type is. */
const EXACT = ["status", "code", "platform", "nextAction"];

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Returns each JSON document of a text in which several follow each other. @throws SyntaxError */
export function splitDocuments(text: string): Json[] {
  const documents: Json[] = [];
  let from = 0;
  let depth = 0;
  let isString = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i] ?? "";
    if (isString) {
      if (character === "\\") i++;
      else if (character === '"') isString = false;
    } else if (character === '"') isString = true;
    else if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") {
      depth--;
      if (depth === 0) {
        documents.push(JSON.parse(text.slice(from, i + 1)));
        from = i + 1;
      }
    }
  }
  if (text.slice(from).trim() !== "") throw new SyntaxError(`This is no JSON: ${text.slice(from)}`);
  return documents;
}

/** Reads a documented answer, in which `…` outside of strings stands for further members. */
export function readAnswer(text: string): Json[] {
  const open: string[] = [];
  let json = "";
  let isString = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i] ?? "";
    if (isString && character === "\\") {
      json += character + (text[++i] ?? "");
      continue;
    }
    if (character === '"') isString = !isString;
    if (!isString && (character === "{" || character === "[")) open.push(character);
    if (!isString && (character === "}" || character === "]")) open.pop();
    if (isString || character !== MORE) {
      json += character;
      continue;
    }
    if (!/[,{[]\s*$/.test(json)) json += ",";
    json += open.at(-1) === "{" ? `"${MORE}":true` : `"${MORE}"`;
  }
  return splitDocuments(json);
}

const typeOf = (value: Json | undefined): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value;

/** Says how an answer differs in its shape from the documented one; nothing where it does not. */
export function differencesOf(expected: Json, actual: Json, path = "answer"): string[] {
  if (typeOf(expected) !== typeOf(actual)) {
    return [`${path} is ${JSON.stringify(actual)}, not ${typeOf(expected)}`];
  }
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const hasMore = expected.at(-1) === MORE;
    const shown = hasMore ? expected.slice(0, -1) : expected;
    if (hasMore ? actual.length < shown.length : actual.length !== shown.length) {
      return [`${path} has ${actual.length} members, not ${shown.length}`];
    }
    return shown.flatMap((one, i) => differencesOf(one, actual[i] ?? null, `${path}[${i}]`));
  }
  if (isObject(expected) && isObject(actual)) return differencesOfObjects(expected, actual, path);
  const key = path.split(".").at(-1) ?? "";
  const isExact = typeof expected === "boolean" || EXACT.includes(key);
  return isExact && expected !== actual ? [`${path} is ${actual}, not ${expected}`] : [];
}

type JsonObject = { [key: string]: Json };

const isObject = (value: Json | undefined): value is JsonObject => typeOf(value) === "object";

function differencesOfObjects(expected: JsonObject, actual: JsonObject, path: string): string[] {
  const shown = Object.keys(expected).filter((key) => key !== MORE);
  const undocumented =
    MORE in expected ? [] : Object.keys(actual).filter((key) => !(key in expected));
  return [
    ...undocumented.map((key) => `${path}.${key} is not documented`),
    ...shown.flatMap((key) =>
      key in actual
        ? differencesOf(expected[key] ?? null, actual[key] ?? null, `${path}.${key}`)
        : [`${path}.${key} is documented, and not there`],
    ),
  ];
}

/** Shorter strings are words, not ids. */
const MIN_CHARACTERS = 6;

/** The last part of an address that is no id: a call of `/pools/3/slots` is about `slots`. */
function resourceOf(call: string): string {
  const path = /\/api\/v1\/([^\s"'?]+)/.exec(call)?.[1] ?? "";
  return path.split("/").findLast((part) => !/\d/.test(part)) ?? "";
}

/** `pools` and `poolId` are about the same. */
const singular = (name: string): string =>
  name.toLowerCase().replace(/ids?$/, "").replace(/s$/, "");

/** The real values of what documented answers show, for the calls that use them. */
export class Memory {
  private readonly strings = new Map<string, string>();
  /** By kind and documented number, such as `pool/3`. */
  private readonly numbers = new Map<string, number>();

  /** @param call the command that was answered, which tells what an `id` is about */
  learn(expected: Json, actual: Json, call: string, key = ""): void {
    if (Array.isArray(expected) && Array.isArray(actual)) {
      for (const [i, one] of expected.entries()) this.learn(one, actual[i] ?? null, call, key);
    } else if (isObject(expected) && isObject(actual)) {
      for (const [name, value] of Object.entries(expected)) {
        this.learn(value, actual[name] ?? null, call, name);
      }
    } else if (typeof expected === "number" && typeof actual === "number") {
      const kind = key === "id" ? resourceOf(call) : /Ids?$/.test(key) ? key : null;
      if (kind !== null) this.numbers.set(`${singular(kind)}/${expected}`, actual);
    } else if (typeof expected === "string" && typeof actual === "string") {
      const isWhole = expected.length >= MIN_CHARACTERS && !expected.includes(MORE);
      if (isWhole && expected !== actual) this.strings.set(expected, actual);
    }
  }

  /** Puts real values into a script that was written with documented ones. */
  recall(script: string): string {
    const byLength = [...this.strings].sort(([a], [b]) => b.length - a.length);
    const withStrings = byLength.reduce((text, [old, real]) => text.replaceAll(old, real), script);
    return withStrings.replaceAll(
      /([a-z-]+)\/(\d+)(?=[/?"'\s]|$)|(\w+Ids?)("?[:=]\s*\[?)(\d+(?:,\s*\d+)*)/g,
      (whole, resource, id, key, between, ids) => {
        if (resource) return `${resource}/${this.numberOf(resource, id)}`;
        if (!key) return whole;
        return `${key}${between}${ids.replaceAll(/\d+/g, (one: string) => this.numberOf(key, one))}`;
      },
    );
  }

  private numberOf(kind: string, documented: string): string {
    return String(this.numbers.get(`${singular(kind)}/${documented}`) ?? documented);
  }
}
