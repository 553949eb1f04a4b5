import type { SharedBudget } from "../../core/budget.ts";
import type { Deps } from "../../deps.ts";
import type { PublishMessage } from "../../queue/messages.ts";
import type { Outcome } from "../../queue/outcome.ts";
import { publishUpload } from "./run.ts";

export async function handlePublish(
  deps: Deps,
  { uploadId }: PublishMessage,
  budget: SharedBudget,
): Promise<Outcome> {
  await publishUpload(deps, uploadId, budget);
  return { kind: "done" };
}

export async function handleDeadPublish(
  deps: Deps,
  { uploadId }: PublishMessage,
): Promise<Outcome> {
  const { endDeadJob } = await import("./dead-letter.ts");
  await endDeadJob(deps, uploadId);
  return { kind: "done" };
}
