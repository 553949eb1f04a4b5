import * as z from "zod";
import type { PublishJob, Reconciled } from "../connector.ts";
import { list } from "../kit/metrics.ts";
import { postText } from "../kit/post-text.ts";
import { replyReader } from "../kit/replies.ts";
import { maybeText } from "../kit/shapes.ts";
import { unknowable } from "../kit/steps.ts";
import { listRecordsRequest, toXrpcRefusal } from "./api.ts";
import { toUnknowable } from "./failures.ts";
import { isKeyOf, keyOf, serviceOf, timeOfKey, toPublished } from "./publish.ts";
import type { BlueskySettings } from "./settings.ts";

/** Five hundred posts: more than an account publishes between two backups. */
const MAX_PAGES = 5;
/** A record is a few kilobytes, and a page has up to a hundred. */
const MAX_REPLY_BYTES = 2_000_000;
const TID = /^[2-7a-z]{13}$/;

const { readerOf } = replyReader(MAX_REPLY_BYTES, toXrpcRefusal);

const readRecords = readerOf(z.object({ records: list, cursor: maybeText }));

const record = z.object({
  uri: z.string().startsWith("at://"),
  value: z.object({ text: maybeText, reply: z.unknown().optional() }),
});

/** The key of a record tells the upload and the moment that it was made for, so a listed post is known for sure. */
export async function findPublished(
  job: PublishJob<BlueskySettings>,
  since: Date,
): Promise<Reconciled> {
  const text = postText(job.post);
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const request = listRecordsRequest(serviceOf(job), job.account.platformAccountId, cursor);
    const reply = await readRecords(await job.fetch(request));
    if (!reply.ok) return toUnknowable(reply.error);
    const records = reply.value.records.flatMap((one) => record.safeParse(one).data ?? []);
    const own = records.find(
      ({ uri, value }) =>
        TID.test(keyOf(uri)) &&
        isKeyOf(keyOf(uri), job.uploadId) &&
        timeOfKey(keyOf(uri)) >= since.getTime() &&
        value.reply === undefined,
    );
    if (own && (own.value.text ?? "") !== text) {
      return unknowable("Bluesky has a post of this upload with another text.");
    }
    if (own) return toPublished(job, { rkey: keyOf(own.uri) }, own.uri);
    const oldest = records.map(({ uri }) => keyOf(uri)).findLast((key) => TID.test(key));
    cursor = reply.value.cursor || null;
    // The newest come first.
    const reachesBack = oldest !== undefined && timeOfKey(oldest) < since.getTime();
    if (cursor === null || reachesBack) return { kind: "absent" };
  }
  return unknowable("The account has more new posts than are looked through.");
}
