import type { Failure } from "../../core/failures.ts";
import { runNamed } from "../../db/named.ts";
import type { Deps } from "../../deps.ts";
import type { Connector } from "../../platforms/connector.ts";
import { creditBalance, debit, paymentOf } from "../credits/repo/balances.ts";
import { costOfAll, creditRefusal } from "../credits/rules.ts";
import { noteCost } from "../ending/repo.ts";
import { repeatRefusal } from "../limits/content-rules.ts";
import { earlierPosts, paidPosts as otherPaidPosts } from "../limits/repo/compared.ts";
import { textsOf } from "../posts/parts.ts";
import type { UploadRow } from "../posts/table.ts";
import { LostLease } from "./save.ts";

const isUnpaid = ({ creditsSpent, creditsRefunded }: UploadRow): boolean =>
  (creditsSpent ?? 0) === (creditsRefunded ?? 0);

const isAtGate = (upload: UploadRow, isPaid: boolean): boolean =>
  upload.stage === "preparing" &&
  upload.part === 0 &&
  (upload.bookmark === null || (isPaid && isUnpaid(upload)));

/**
 * Debits a paid post. A repeated post is debited too, then fails and is refunded: of equal posts at the same moment,
 * the first that pays is published.
 *
 * @throws LostLease
 */
export async function passGate(
  deps: Deps,
  { paidPosts, repeatRule }: Connector,
  upload: UploadRow,
): Promise<{ kind: "open"; upload: UploadRow } | { kind: "shut"; failure: Failure }> {
  if (!(paidPosts || repeatRule) || !isAtGate(upload, paidPosts !== undefined)) {
    return { kind: "open", upload };
  }
  const cost = paidPosts ? await costOfAll(paidPosts, textsOf(upload)) : null;
  const { payments, earlier, rivals } = await runNamed(deps.db, {
    debited: cost === null ? null : debit(deps, upload, cost, noteCost(upload.id, cost)),
    payments: cost === null ? null : paymentOf(upload),
    earlier: repeatRule && earlierPosts(repeatRule, upload, deps.now()),
    rivals: repeatRule && isUnpaid(upload) ? otherPaidPosts(upload) : null,
  });
  const paid = payments?.[0];
  if (cost !== null && !paid) {
    return { kind: "shut", failure: await paymentFailure(deps, upload, cost) };
  }
  const others = [...(earlier ?? []), ...(rivals ?? [])];
  const message = repeatRule && (await repeatRefusal(repeatRule, upload, others));
  if (message) return { kind: "shut", failure: { code: "content_flagged", message } };
  return { kind: "open", upload: { ...upload, ...paid } };
}

async function paymentFailure(deps: Deps, upload: UploadRow, cost: number): Promise<Failure> {
  const [[balance]] = await deps.db.run([creditBalance(deps, upload.teamId)]);
  const message = balance && creditRefusal(balance, cost, deps.now());
  // The credits suffice, so another run has the job or has paid.
  if (!message) throw new LostLease();
  return { code: "rate_limited", message };
}
