import { DurableObject } from "cloudflare:workers";
import {
  CLAIM_LIFETIME_MS,
  type Claim,
  createClaimCode,
  hashClaimCode,
  isOpenClaim,
} from "../core/claim-code.ts";
import { createOwnKeys, OWN_KEY_NAMES, type OwnKeys, ownKeyId } from "../core/instance-keys.ts";
import { SECOND } from "../core/time.ts";
import { LATEST_MIGRATION } from "../db/.generated/latest.ts";
import { applyMigrations, type Progress } from "../db/migrate.ts";

/** A migration that failed is not tried again before this time. */
const PAUSE_MS = 10 * SECOND;

/**
 * What an instance knows without its database: the keys that it made, the code by which it is claimed, and the last
 * migration that it applied. One object serves the whole instance, so that the first write wins.
 */
export class Installation extends DurableObject<{ DB: D1Database }> {
  private migrating: Promise<Progress> | null = null;
  private failure: { at: number; progress: Progress } | null = null;

  /** The first call makes the keys. `isCurrent` says whether this object saw all migrations of this script applied. */
  async open(): Promise<{ keys: OwnKeys; isCurrent: boolean }> {
    const schema = await this.ctx.storage.get<string>("schema");
    // Names of migrations begin with their number. After a rollback, the database may be ahead of the script.
    return { keys: await this.keys(), isCurrent: (schema ?? "") >= LATEST_MIGRATION };
  }

  keys(): Promise<OwnKeys> {
    return this.ctx.blockConcurrencyWhile(async () => {
      const { storage } = this.ctx;
      const stored = (await storage.get<Partial<OwnKeys>>("keys")) ?? {};
      const hasAll = (keys: Partial<OwnKeys>): keys is OwnKeys =>
        OWN_KEY_NAMES.every((name) => keys[name] !== undefined);
      if (hasAll(stored)) return stored;
      // A later release may need a key more. The stored keys stay.
      const keys = { ...(await createOwnKeys(ownKeyId())), ...stored };
      await storage.put("keys", keys);
      return keys;
    });
  }

  /** Callers that come at once share one run, because two runs could apply the same migration. */
  async migrate(): Promise<Progress> {
    if (this.failure && Date.now() - this.failure.at < PAUSE_MS) return this.failure.progress;
    this.migrating ??= this.applyNext().finally(() => {
      this.migrating = null;
    });
    return this.migrating;
  }

  private async applyNext(): Promise<Progress> {
    const { MIGRATIONS } = await import("../db/.generated/migrations.ts");
    const progress = await applyMigrations(this.env.DB, MIGRATIONS).catch((error: unknown) => ({
      remaining: MIGRATIONS.length,
      failure: String(error),
    }));
    this.failure = progress.failure === null ? null : { at: Date.now(), progress };
    if (progress.remaining === 0) await this.ctx.storage.put("schema", LATEST_MIGRATION);
    return progress;
  }

  /** Returns a new code when there is none that works, else null: codes are not stored. */
  openClaim(nowMs: number): Promise<string | null> {
    return this.ctx.blockConcurrencyWhile(async () => {
      if (isOpenClaim(await this.claim(), new Date(nowMs))) return null;
      const code = createClaimCode();
      const claim: Claim = {
        hash: await hashClaimCode(code),
        expiresAt: nowMs + CLAIM_LIFETIME_MS,
      };
      await this.ctx.storage.put("claim", claim);
      return code;
    });
  }

  async claim(): Promise<Claim | null> {
    return (await this.ctx.storage.get<Claim>("claim")) ?? null;
  }

  async endClaim(): Promise<void> {
    await this.ctx.storage.delete("claim");
  }
}

export const theInstallation = (namespace: DurableObjectNamespace<Installation>) =>
  namespace.getByName("installation");

/** Applies what is missing, in as many calls as that takes. */
export async function bringUpToDate(
  namespace: DurableObjectNamespace<Installation>,
): Promise<Progress> {
  for (let before = Number.POSITIVE_INFINITY; ; ) {
    const progress = await theInstallation(namespace).migrate();
    const { failure, remaining } = progress;
    if (failure !== null || remaining === 0 || remaining >= before) return progress;
    before = remaining;
  }
}
