import type * as z from "zod";
import { AppError, invalidFields, toFieldErrors } from "../../core/errors.ts";
import type { Notice } from "./parts.tsx";

export interface Shown {
  notice: Notice | null;
  status: number;
}

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
    return { notice: { text: error.message, isRefusal: true }, status: error.status };
  }
}

/** @throws AppError 400 with every refused field */
export function readFields<S extends z.ZodType>(schema: S, fields: object): z.output<S> {
  const input = schema.safeParse(fields);
  if (!input.success) throw invalidFields(toFieldErrors(input.error));
  return input.data;
}
