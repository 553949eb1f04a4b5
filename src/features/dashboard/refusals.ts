import type * as z from "zod";
import { AppError, type FieldError, invalidFields, toFieldErrors } from "../../core/errors.ts";
import type { Notice } from "./parts.tsx";

export interface Shown {
  notice: Notice | null;
  status: number;
}

const PLAIN: readonly [RegExp, string][] = [
  [/Too small: expected string to have >=1 characters/, "is required"],
  [/Too small: expected string to have >=(\d+) characters/, "needs at least $1 characters"],
  [/Too big: expected string to have <=(\d+) characters/, "may have at most $1 characters"],
  [/Invalid input: expected number, received NaN/, "is none of the choices"],
  [
    /^This Idempotency-Key was used with another body\..*$/,
    "This form was sent before, with something else in it, and that was made. To have this too, send it once more.",
  ],
  [/Send it again with the same key\.$/, "Send it once more."],
];

/** The schemas' own messages are for programs. */
export const plainly = (message: string): string =>
  PLAIN.reduce((text, [found, words]) => text.replace(found, words), message);

/** Statuses with an error page of their own. */
const APART = [401, 404, 429];

/**
 * Returns a refusal as a message, null on success.
 *
 * @throws other errors
 */
export async function attempt(action: () => Promise<unknown>): Promise<Shown | null> {
  try {
    await action();
    return null;
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500 || APART.includes(error.status)) {
      throw error;
    }
    return { notice: { text: plainly(error.message), isRefusal: true }, status: error.status };
  }
}

/** Whether the form shows an older version: only `changedMeanwhile` refuses with 409 and without a code. */
export const isOutdated = ({ status, code }: { status: number; code: string | null }): boolean =>
  status === 409 && code === null;

interface RefusedFields extends Shown {
  /** Their messages begin without the name of the field, with a capital. */
  errors: FieldError[];
  code: string | null;
}

function toSentence({ field, message }: FieldError): FieldError {
  const text = plainly(
    message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message,
  );
  return { field, message: text.charAt(0).toUpperCase() + text.slice(1) };
}

/** Like `attempt`, with the error of each field. */
export async function attemptFields(action: () => Promise<unknown>): Promise<RefusedFields | null> {
  let errors: readonly FieldError[] = [];
  let code: string | null = null;
  const refused = await attempt(async () => {
    try {
      await action();
    } catch (error) {
      if (error instanceof AppError) {
        errors = (error.extras.errors ?? []) as FieldError[];
        code = error.code;
      }
      throw error;
    }
  });
  return refused && { ...refused, errors: errors.map(toSentence), code };
}

/** @throws AppError 400 with every refused field */
export function readFields<S extends z.ZodType>(schema: S, fields: object): z.output<S> {
  const input = schema.safeParse(fields);
  if (!input.success) throw invalidFields(toFieldErrors(input.error));
  return input.data;
}
