import { AppError, notFound } from "../../core/errors.ts";

/** @throws AppError NOT_FOUND; FORBIDDEN for an account of another team. Source: spec, "Errors" */
export function requireOwn<A extends { isOwn: boolean }>(account: A | undefined): A {
  if (!account) throw notFound("Account");
  if (!account.isOwn) throw new AppError("FORBIDDEN", "This account belongs to another team.");
  return account;
}
