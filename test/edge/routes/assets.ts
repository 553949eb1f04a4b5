import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Account, type Assets, newId } from "../account.ts";
import type { Route } from "../api.ts";
import { Refusal } from "../refusal.ts";

/** Files that one call of wrangler brings at most. */
const BUCKET_FILES = 500;

const assetPath = (account: Account, hash: string): string => {
  const folder = join(account.folder, "assets");
  mkdirSync(folder, { recursive: true });
  return join(folder, hash);
};

const HASH = /^[0-9a-f]{32}$/;

export const ASSET_ROUTES: Route[] = [
  [
    "POST /workers/scripts/:/assets-upload-session",
    ({ account }, call) => {
      const { manifest } = call.json<{ manifest: Assets["manifest"] }>();
      const files = Object.entries(manifest);
      if (files.length > account.limit("assetFiles")) {
        throw new Refusal(
          10_304,
          `Asset manifest is invalid: ${files.length} files exceed the limit of ${account.limit("assetFiles")}.`,
        );
      }
      for (const [path, { hash, size }] of files) {
        if (!HASH.test(hash) || path.split("/").includes("..")) {
          throw new Refusal(10_304, `Asset manifest is invalid: ${path}.`);
        }
        if (size > account.limit("assetBytes")) {
          throw new Refusal(10_304, `Asset manifest is invalid: ${path} has ${size} bytes.`);
        }
      }
      const jwt = newId();
      account.state.assetSessions[jwt] = manifest;
      const missing = missingOf(account, manifest);
      const buckets = Array.from({ length: Math.ceil(missing.length / BUCKET_FILES) }, (_, i) =>
        missing.slice(i * BUCKET_FILES, (i + 1) * BUCKET_FILES),
      );
      return { result: { jwt, buckets } };
    },
  ],
  [
    "POST /workers/assets/upload",
    async ({ account }, call) => {
      for (const { name, content } of await call.parts()) {
        if (!HASH.test(name)) throw new Refusal(10_304, `Asset manifest is invalid: ${name}.`);
        writeFileSync(assetPath(account, name), Buffer.from(content.toString("latin1"), "base64"));
      }
      const done = Object.entries(account.state.assetSessions).findLast(
        ([, manifest]) => missingOf(account, manifest).length === 0,
      );
      return { status: done ? 201 : 202, result: { jwt: done?.[0] ?? null } };
    },
  ],
];

const missingOf = (account: Account, manifest: Assets["manifest"]): string[] => [
  ...new Set(
    Object.values(manifest)
      .map(({ hash }) => hash)
      .filter((hash) => !existsSync(assetPath(account, hash))),
  ),
];

/** @throws Refusal 10305 */
export function takeAssets(
  account: Account,
  { jwt, config = {} }: { jwt?: string; config?: Record<string, unknown> },
): Assets {
  const manifest = jwt && account.state.assetSessions[jwt];
  if (!manifest || missingOf(account, manifest).length > 0) {
    throw new Refusal(10_305, "Cannot use an assets binding without uploading assets.");
  }
  delete account.state.assetSessions[jwt];
  return { manifest, config };
}
