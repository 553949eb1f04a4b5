import type { Deps } from "../../deps.ts";
import type { PublishedPost } from "../../platforms/connector.ts";
import { PART_BEGINS, type Part } from "../posts/parts.ts";
import type { UploadRow } from "../posts/table.ts";
import { metadataOf, withWarnings } from "./completion.ts";
import { renewedLease, save } from "./save.ts";
import { complete } from "./writes.ts";

const replaced = (parts: readonly Part[], position: number, set: Partial<Part>): Part[] =>
  parts.map((part, i) => (i === position - 1 ? { ...part, ...set } : part));

/**
 * Stores in one write that the post or one of its parts is out, and that the next part begins. Returns null after the
 * last part.
 *
 * @param hadFailures the account has failures to reset
 */
export async function goOn(
  deps: Deps,
  upload: UploadRow,
  post: PublishedPost,
  hadFailures: boolean,
): Promise<UploadRow | null> {
  const { part: position, parts } = upload;
  const stored = upload.metadata;
  const isHead = position === 0 || stored === null;
  const { platformPostId, shareUrl, warnings = [] } = post;
  const metadata = isHead ? metadataOf(upload, post) : withWarnings(stored, position, warnings);
  const outcome = { status: "completed", platformPostId, shareUrl } as const;
  const reached = isHead ? [...(parts ?? [])] : replaced(parts ?? [], position, outcome);
  const set = { parts: reached, metadata };
  if (position >= reached.length) {
    await complete(deps, upload, set, hadFailures);
    return null;
  }
  const now = deps.now();
  return save(deps, upload, {
    ...set,
    ...PART_BEGINS,
    part: position + 1,
    progressedAt: now,
    uploadedAt: upload.uploadedAt ?? now,
    ...renewedLease(now),
  });
}
