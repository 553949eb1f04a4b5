import type { Operation } from "../spec/document.ts";
import { type Answer, form, type Harness } from "./harness.ts";
import { PERMISSIONS, type Permission, type Sent } from "./permission-table.ts";
import type { Holder } from "./permission-team.ts";

/** The ways in which an operation is called; none where the table does not know it. */
export const permissionsOf = ({ spec }: Operation): Permission[] =>
  [PERMISSIONS[spec.operationId] ?? []].flat();

/** Calls an operation as the holder of a token; without one where theirs is empty. */
export function callAs(
  harness: Harness,
  { token, headers }: Pick<Holder, "token" | "headers">,
  { called, method }: Operation,
  sent: Sent,
): Promise<Answer> {
  const path = called.replace(/\{(\w+)\}/g, (_, name) => {
    const value = sent.params?.[name];
    if (value === undefined) throw new Error(`No {${name}} is given for ${method} ${called}.`);
    return value;
  });
  const query = sent.query ? `?${new URLSearchParams(sent.query)}` : "";
  const body = sent.form ? form(sent.form) : sent.file;
  return harness.call(method, path + query, { token, headers, json: sent.json, body });
}
