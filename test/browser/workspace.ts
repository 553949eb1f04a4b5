import { execute, type Place } from "../../src/cli/d1.ts";
import { createGradientPng } from "../../src/cli/png.ts";
import { sql } from "../../src/cli/sql.ts";
import type { Akimbo } from "../peers/akimbo.ts";

const PICTURE = {
  width: 640,
  height: 480,
  from: [58, 70, 214],
  to: [240, 200, 120],
} as const;

const DAY_MS = 86_400_000;

/** Content for the pages: posts of several states, and an account whose login has ended. */
export interface Content {
  failedId: number;
  publishedId: number;
  accountId: string;
}

const LONG = "Anunbrokenwordthatislongerthananyscreeniswide".repeat(6);

/** Posts to the sandbox, and leaves one post failed and one account expired. */
export async function fillWorkspace(akimbo: Akimbo, place: Place): Promise<Content> {
  const { body } = await akimbo.call<{ data: { id: string; platform: string }[] }>(
    "GET",
    "/accounts",
  );
  const accountOn = (platform: string): string => {
    const account = body.data.find((one) => one.platform === platform);
    if (!account) throw new Error(`There is no sandbox account on ${platform}.`);
    return account.id;
  };
  const accountId = accountOn("bluesky");
  const base = { accountId, platform: "bluesky" };
  const post = async (fields: Record<string, string | File[]>): Promise<number> => {
    const { status, body: answer } = await akimbo.post({ ...base, ...fields });
    if (status !== 200) throw new Error(answer.error);
    return answer.data.uploadId;
  };
  const photo = new File([createGradientPng(PICTURE)], "photo.png", { type: "image/png" });
  const publishedId = await post({ title: "A photo of the harbour", photo: [photo] });
  await akimbo.completed(publishedId);
  const at = new Date(Date.now() + 3 * DAY_MS).toISOString();
  await post({ title: "Planned for the day after the day after tomorrow", schedule_date: at });
  await post({ title: LONG.slice(0, 280), status: "pending_approval" });
  await post({ title: "A draft", status: "draft" });
  const failedId = await post({ title: "This one fails", schedule_date: at });
  const now = Date.now();
  await execute(place, [
    sql`UPDATE uploads SET status = 'failed', status_group = 'failed', due_at = NULL, woken_at = NULL,
      failed_at = ${now}, failure_code = 'platform_unavailable',
      error_message = ${`The platform did not answer: ${LONG}`} WHERE id = ${failedId}`,
    sql`UPDATE accounts SET status = 'expired' WHERE id = ${accountOn("threads")}`,
    sql`UPDATE teams SET zone = 'Europe/Berlin'`,
  ]);
  return { failedId, publishedId, accountId };
}
