import { AppError } from "../../core/errors.ts";
import type { Notice } from "./parts.tsx";

/** Statuses with an error page of their own. */
const APART = [401, 404, 429];

/**
 * Returns null on success, or the refusal as a message.
 *
 * @throws other errors
 */
export async function attempt(
  action: () => Promise<unknown>,
): Promise<{ notice: Notice; status: number } | null> {
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
