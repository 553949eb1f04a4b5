import type { Scope } from "../../src/core/scopes.ts";
import { sha256Hex } from "../../src/core/signature.ts";
import type { Ctx } from "../../src/deps.ts";
import { createCaller } from "../../src/features/auth/caller.ts";
import type { Harness, Member } from "./harness.ts";

/** The context of a member's token, as a door other than HTTP hands it to a use-case. */
export const callerOf = async (
  { deps }: Harness,
  { token }: Member,
  scope: Scope = "posts:write",
): Promise<Ctx> => {
  const presented = { token, tokenHash: await sha256Hex(token), teamId: null, scope };
  return createCaller(deps, presented, Promise.resolve());
};
