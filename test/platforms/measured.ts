import { PLATFORMS, type Platform } from "../../src/core/platforms.ts";
import { connectSandbox, type Fields, type Harness, type Member } from "../support/harness.ts";
import { mp4, photo } from "../support/stage.ts";
import type { Measured, Row } from "./row.ts";
import { ROWS } from "./rows.ts";

type MeasuredRow = Row & { measured: Measured };

function measuredRow(platform: Platform): MeasuredRow {
  const hasFigures = (row: Row): row is MeasuredRow => row.measured !== undefined;
  const row = ROWS.filter(hasFigures).find((one) => one.platform === platform);
  if (!row) throw new Error(`No row of ${platform} has figures.`);
  return row;
}

export const MEASURED = PLATFORMS.map(
  (platform) => [platform, measuredRow(platform).measured] as const,
);

const personOf = (platform: Platform): string => measuredRow(platform).person ?? "Ada";

const nameOf = ({ teamId }: Member, platform: Platform) => `${personOf(platform)} ${teamId}`;

export async function connectMeasured(
  harness: Harness,
  member: Member,
  platform: Platform,
): Promise<string> {
  const pageId = await measuredRow(platform).pageOf?.(nameOf(member, platform), member.teamId);
  return connectSandbox(harness, member, personOf(platform), platform, pageId);
}

export async function measuredPost(
  member: Member,
  platform: Platform,
  text: string,
): Promise<Fields> {
  const row = measuredRow(platform);
  return {
    ...(await row.usual?.(nameOf(member, platform))),
    title: text,
    description: text,
    [row.media]: row.media === "video" ? mp4() : photo(),
  };
}
