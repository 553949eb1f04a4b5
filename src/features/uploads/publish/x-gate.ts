import type { Failure } from "../../../core/failures.ts";
import type { Deps } from "../../../deps.ts";
import { creditBalance, debit, type Payment, paymentOf } from "../../credits/repo.ts";
import { costOf, creditRefusal } from "../../credits/rules.ts";
import { noteCost } from "../repo/credits.ts";
import type { UploadRow } from "../table.ts";
import { LostLease } from "./writes.ts";
import { duplicateOf, type EarlierPost, earlierPosts } from "./x-duplicates.ts";

/** Whether nothing has been asked of X yet, or nothing is paid for it. */
const isAtGate = ({ platform, stage, bookmark, creditsSpent, creditsRefunded }: UploadRow) =>
  platform === "x" &&
  stage === "preparing" &&
  (bookmark === null || (creditsSpent ?? 0) === (creditsRefunded ?? 0));

/**
 * What a post on X has to pass before X hears of it: it is paid for, and repeats nothing. One round trip;
 * the other platforms' posts are let through without any. A repetition is paid for too, and gets its
 * credits back as the failure that it is.
 *
 * @throws LostLease
 */
export async function passXGate(
  deps: Deps,
  upload: UploadRow,
): Promise<{ kind: "open"; upload: UploadRow } | { kind: "shut"; failure: Failure }> {
  if (!isAtGate(upload)) return { kind: "open", upload };
  const { textOf } = await import("../../../platforms/x/text.ts");
  const cost = await costOf(textOf(upload));
  const [[paid], earlier] = await pay(deps, upload, cost);
  if (!paid) return { kind: "shut", failure: await whyUnpaid(deps, upload, cost) };
  const message = duplicateOf(upload, earlier, textOf);
  if (message) return { kind: "shut", failure: { code: "content_flagged", message } };
  return { kind: "open", upload: { ...upload, ...paid } };
}

/** Takes what the post costs, unless that was done; whether it is paid for, and what stood there before. */
async function pay(deps: Deps, upload: UploadRow, cost: number) {
  const results = await deps.db.runAll<unknown>([
    ...debit(deps, upload, cost, noteCost(upload.id, cost)),
    paymentOf(upload),
    earlierPosts(upload, deps.now()),
  ]);
  return results.slice(-2) as [Payment[], EarlierPost[]];
}

async function whyUnpaid(deps: Deps, upload: UploadRow, cost: number): Promise<Failure> {
  const [[balance]] = await deps.db.run([creditBalance(deps, upload.teamId)]);
  const message = balance && creditRefusal(balance, cost, deps.now());
  // There is enough: somebody else has the job, or has paid for it in between.
  if (!message) throw new LostLease();
  return { code: "rate_limited", message };
}
