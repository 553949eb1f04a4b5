import { AppError } from "../core/errors.ts";
import { isOwned } from "../features/auth/repo/people.ts";
import { type AppContext, publicOrigin } from "../http/env.ts";

/**
 * Adds the address of the claim page to a refused token while the instance has no owner. An instance whose deployment
 * made its keys and its owner costs no query for this.
 */
export async function withClaimHint(error: unknown, c: AppContext): Promise<unknown> {
  const { deps } = c.var;
  if (!(error instanceof AppError) || error.code !== "UNAUTHORIZED" || !deps) return error;
  const mayBeUnclaimed = deps.ownKeys.length > 0 || deps.config.claim !== null;
  if (!mayBeUnclaimed || (await isOwned(deps))) return error;
  const { extras, headers } = error;
  const address = `${publicOrigin(deps, c.req.url)}/claim`;
  return new AppError(
    "UNAUTHORIZED",
    `This instance has no owner yet, so no token works. Claim it at ${address}.`,
    { extras, headers },
  );
}
