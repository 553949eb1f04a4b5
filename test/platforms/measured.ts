import { PLATFORMS, type Platform } from "../../src/core/platforms.ts";
import { connectSandbox, type Fields, type Harness, type Member } from "../support/harness.ts";
import { mp4, photo } from "../support/stage.ts";
import type { Measured, Row } from "./row.ts";
import { ROWS } from "./rows.ts";

/** The platform's row with figures of posts, where there are any. */
function measuredRow(platform: Platform): Row {
  const own = ROWS.filter((row) => row.platform === platform);
  const row = own.find(({ measured }) => measured !== undefined) ?? own[0];
  if (!row) throw new Error(`${platform} has no row.`);
  return row;
}

export const MEASURED = PLATFORMS.flatMap((platform): (readonly [Platform, Measured])[] => {
  const { measured } = measuredRow(platform);
  return measured ? [[platform, measured]] : [];
});

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
    [row.media]: row.media === "video" ? mp4() : (row.photo ?? photo)(),
  };
}
