/**
 * Hot paths use these readers instead of zod, because loading zod takes longer than a whole cron
 * tick.
 */

/** The caller puts the name of the invalid value before the message. */
export class Malformed extends Error {}

/** @throws Malformed for an invalid value */
export type Reader<T> = (value: unknown) => T;

export type Read<R> = R extends Reader<infer T> ? T : never;

export function readOrNull<T>(read: Reader<T>, value: unknown): T | null {
  try {
    return read(value);
  } catch (error) {
    if (error instanceof Malformed) return null;
    throw error;
  }
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

const expected = (kind: string, value: unknown): Malformed =>
  new Malformed(`Invalid input: expected ${kind}, received ${kindOf(value)}`);

export const text: Reader<string> = (value) => {
  if (typeof value !== "string") throw expected("string", value);
  return value;
};

export const boolean: Reader<boolean> = (value) => {
  if (typeof value !== "boolean") throw expected("boolean", value);
  return value;
};

export const textThat =
  (holds: (value: string) => boolean, message: string): Reader<string> =>
  (value) => {
    const content = text(value);
    if (!holds(content)) throw new Malformed(message);
    return content;
  };

export const matching = (pattern: RegExp, message: string): Reader<string> =>
  textThat((value) => pattern.test(value), message);

export const notEmpty = textThat(
  (value) => value !== "",
  "Too small: expected string to have >=1 characters",
);

export const oneOf =
  <const T extends string>(options: readonly T[]): Reader<T> =>
  (value) => {
    const match = options.find((option) => option === value);
    if (match !== undefined) return match;
    throw new Malformed(
      `Invalid option: expected one of ${options.map((option) => JSON.stringify(option)).join("|")}`,
    );
  };

export const only =
  <const T extends string>(literal: T): Reader<T> =>
  (value) => {
    if (value !== literal)
      throw new Malformed(`Invalid input: expected ${JSON.stringify(literal)}`);
    return literal;
  };

/** A value that neither reader accepts gets the second reader's message. */
export const eitherOf =
  <A, B>(one: Reader<A>, other: Reader<B>): Reader<A | B> =>
  (value) => {
    try {
      return one(value);
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      return other(value);
    }
  };

export const wholeNumber =
  (least: 0 | 1): Reader<number> =>
  (value) => {
    if (typeof value !== "number") throw expected("number", value);
    if (!Number.isSafeInteger(value)) throw expected("int", value);
    if (value < least) {
      throw new Malformed(`Too small: expected number to be ${least === 0 ? ">=" : ">"}0`);
    }
    return value;
  };

export const orNull =
  <T>(read: Reader<T>): Reader<T | null> =>
  (value) =>
    value === null ? null : read(value);

export const listOf =
  <T>(read: Reader<T>): Reader<T[]> =>
  (value) => {
    if (!Array.isArray(value)) throw expected("array", value);
    return value.map(read);
  };

export const pairOf =
  <A, B>(first: Reader<A>, second: Reader<B>): Reader<[A, B]> =>
  (value) => {
    if (!Array.isArray(value) || value.length !== 2) throw expected("pair", value);
    return [first(value[0]), second(value[1])];
  };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const recordOf =
  <T>(read: Reader<T>, isName: (name: string) => boolean = () => true): Reader<Record<string, T>> =>
  (value) => {
    if (!isObject(value)) throw expected("record", value);
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => {
        if (!isName(name)) throw new Malformed("Invalid key in record");
        return [name, read(one)];
      }),
    );
  };

type Fields = Record<string, Reader<unknown>>;
type Values<F extends Fields> = { [N in keyof F]: Read<F[N]> };

/** Ignores unknown fields. */
export const objectOf =
  <F extends Fields>(fields: F): Reader<Values<F>> =>
  (value) => {
    if (!isObject(value)) throw expected("object", value);
    const entries = Object.entries(fields).map(([name, read]) => [name, read(value[name])]);
    return Object.fromEntries(entries) as Values<F>;
  };

export const someOf =
  <F extends Fields>(fields: F): Reader<Partial<Values<F>>> =>
  (value) => {
    if (!isObject(value)) throw expected("object", value);
    const present = Object.entries(fields).filter(([name]) => Object.hasOwn(value, name));
    const read = Object.fromEntries(present.map(([name, reader]) => [name, reader(value[name])]));
    const unknown = Object.keys(value).filter((name) => !Object.hasOwn(fields, name));
    if (unknown.length > 0) {
      const names = unknown.map((name) => JSON.stringify(name)).join(", ");
      throw new Malformed(`Unrecognized key${unknown.length > 1 ? "s" : ""}: ${names}`);
    }
    return read as Partial<Values<F>>;
  };

export const strictObjectOf =
  <F extends Fields>(fields: F): Reader<Values<F>> =>
  (value) => {
    const read = objectOf(fields)(value);
    someOf(fields)(value);
    return read;
  };

export const json =
  <T>(read: Reader<T>): Reader<T> =>
  (value) => {
    let parsed: unknown;
    try {
      parsed = JSON.parse(text(value));
    } catch (error) {
      throw error instanceof Malformed ? error : new Malformed("must be valid JSON");
    }
    return read(parsed);
  };
