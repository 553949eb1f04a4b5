import { AppError } from "../../core/errors.ts";
import type { Notice } from "./parts.tsx";

/** Statuses whose page of its own says more than a line above the form would. */
const APART = [401, 404, 429];

/**
 * Does what a form asks for; null when it was done. A refusal that the person can do something about is
 * returned as the notice of the form's page.
 *
 * @throws what else goes wrong
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
