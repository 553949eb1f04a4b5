import { PublishFailure } from "../../core/failures.ts";
import type { Query } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { claimOf, digestOf, duplicateOf, withFiles } from "../limits/content-rules.ts";
import { areUnclaimed, claimHolders } from "../limits/repo/compared.ts";
import { changeUpload } from "../posts/repo/write.ts";
import type { MediaRef, UploadRow } from "../posts/table.ts";
import { LostLease, renewedLease } from "./save.ts";

interface KnownFile {
  index: number;
  ref: MediaRef;
  facts?: Partial<UploadRow>;
}

/** @throws PublishFailure content_flagged when the account has the same post already; LostLease */
export async function saveFile(
  deps: Deps,
  upload: UploadRow,
  { index, ref, facts = {} }: KnownFile,
  alongside: Query<unknown>[],
): Promise<UploadRow> {
  const now = deps.now();
  const media = upload.media.with(index, ref);
  const textDigest = await withFiles(await digestOf(upload), media);
  const claim = claimOf({ ...upload, textDigest }, now, upload.id);
  const claims = claim ? [claim] : [];
  const set = { ...facts, media, textDigest, progressedAt: now, ...renewedLease(now) };
  const [changed] = await deps.db.runAll([
    changeUpload(upload, set, areUnclaimed(claims)),
    ...alongside,
  ]);
  if (changed === 1) return { ...upload, ...set };
  const [[holder]] = await deps.db.run([claimHolders(claims)]);
  if (!holder) throw new LostLease();
  const { message } = duplicateOf(upload.platform, holder);
  throw new PublishFailure({ code: "content_flagged", message });
}
