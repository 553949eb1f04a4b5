import { sealedPrefix } from "../../core/encryption.ts";
import type { PushKeys } from "../../core/push-keys.ts";
import type { Deps } from "../../deps.ts";
import { replaceSealed, sealedTargets } from "./repo/targets.ts";
import type { TargetRow } from "./table.ts";

export interface Browser {
  endpoint: string;
  keys: PushKeys;
  /** Origin of the subscribing page. */
  origin: string;
}

type Owner = Pick<TargetRow, "teamId" | "userId" | "channel">;

const boundTo = ({ teamId, userId, channel }: Owner): string =>
  `${teamId}|${userId}|notices|${channel}`;

type Sealer = Pick<Deps, "cipher">;

export const sealBrowser = ({ cipher }: Sealer, userId: number, browser: Browser) =>
  cipher.encrypt(JSON.stringify(browser), boundTo({ teamId: 0, userId, channel: "push" }));

export const sealChat = ({ cipher }: Sealer, owner: Omit<Owner, "channel">, url: string) =>
  cipher.encrypt(url, boundTo({ ...owner, channel: "messaging" }));

/** @throws when the key is gone, or the value was moved or altered */
export const openTarget = ({ cipher }: Sealer, target: TargetRow): Promise<string> =>
  cipher.decrypt(target.sealed, boundTo(target));

const PAGE = 100;

/** @param cursor id of the last target */
export async function reencryptTargets(deps: Deps, cursor: string | null): Promise<string | null> {
  const [current, ...older] = deps.config.encryptionKeys;
  if (!current || older.length === 0) return null;
  const prefix = sealedPrefix(current.id);
  const [page] = await deps.db.run([sealedTargets(Number(cursor ?? 0), PAGE)]);
  const writes = [];
  for (const row of page.filter(({ sealed }) => !sealed.startsWith(prefix))) {
    try {
      const fresh = await deps.cipher.encrypt(await openTarget(deps, row), boundTo(row));
      writes.push(replaceSealed(row, fresh));
    } catch {
      deps.log({ event: "notices.target_unreadable", targetId: row.id });
    }
  }
  if (writes.length > 0) await deps.db.runAll(writes);
  const last = page.at(-1);
  return last && page.length === PAGE ? String(last.id) : null;
}
