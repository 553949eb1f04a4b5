import { createHash } from "node:crypto";

/** Where a call comes from. All of it stays the same when n8n repeats the item. */
export interface CallOrigin {
  instanceId: string;
  workflowId: string;
  /** Of the first try: n8n gives a repeated execution a new id. */
  executionId: string;
  nodeName: string;
  /** Grows each time that a loop comes back to the node. */
  runIndex: number;
  itemIndex: number;
}

/** @param part tells calls of one item apart, such as the id of an account */
export function idempotencyKey(origin: CallOrigin, part: string): string {
  const { instanceId, workflowId, executionId, nodeName, runIndex, itemIndex } = origin;
  const text = JSON.stringify([
    instanceId,
    workflowId,
    executionId,
    nodeName,
    runIndex,
    itemIndex,
    part,
  ]);
  return `n8n-${createHash("sha256").update(text).digest("hex")}`;
}
