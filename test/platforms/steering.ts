import { expect } from "vitest";
import type { FailureCode } from "../../src/core/failures.ts";
import { openStage } from "../support/stage.ts";
import type { Kind, Row } from "./row.ts";

/** A final failure is reported before any retry. */
const AT_ONCE_SECONDS = 30;

export async function expectFailures(
  row: Row,
  kind: Kind,
  codes: readonly FailureCode[],
): Promise<void> {
  const stage = await openStage(row.platform, row);
  for (const code of codes) {
    const began = Date.now();
    const id = await stage.post(kind.fields(`${code} [sandbox:${code}]`));
    await stage.harness.drain();
    const upload = await stage.read(id);
    expect(upload).toMatchObject({ status: "failed", failure: { code } });
    expect(upload.errorMessage).not.toBe("");
    expect((Date.now() - began) / 1_000).toBeLessThan(AT_ONCE_SECONDS);
    if (code === "account_disconnected") {
      await stage.connect(await row.pageOf?.(stage.name, stage.member.teamId));
    }
  }
  expect(await stage.feed()).toEqual([]);
}
