import { RESTORED } from "../../src/features/publishing/rules.ts";
import type { Arrival, Evidence, Judgement, PartState, UploadState } from "./findings.ts";

interface PartOf {
  upload: UploadState;
  part: PartState;
}

/** The parts of posts that are out. */
export const partsOf = (uploads: readonly UploadState[]): PartOf[] =>
  uploads
    .filter(({ status }) => status === "completed")
    .flatMap((upload) => upload.parts.map((part) => ({ upload, part })));

const isOfPart = ({ text }: Arrival): boolean => /(?: part \d+| comment)$/.test(text);

/** Returns the parts, and the posts before them. */
export const split = (arrivals: readonly Arrival[]): [parts: Arrival[], posts: Arrival[]] => [
  arrivals.filter(isOfPart),
  arrivals.filter((arrival) => !isOfPart(arrival)),
];

const firstFailed = ({ upload }: PartOf): PartState | undefined =>
  upload.parts.find(({ status }) => status === "failed");

/** The part may be published, or the post above it has no known id. Its failure tells the person so. */
export const isUnknown = (one: PartOf): boolean =>
  one.part === firstFailed(one) &&
  (one.part.failureCode === "platform_processing_timeout" ||
    /its id is not known|did not name the post/.test(one.part.message ?? ""));

/** It failed for good, and the platform does not have it. */
export const isRefused = (one: PartOf): boolean => one.part === firstFailed(one) && !isUnknown(one);

/** It was not sent, because one before it failed. */
export const isUnsent = (one: PartOf): boolean =>
  one.part.status === "failed" && one.part !== firstFailed(one);

export interface PartCounts {
  all: number;
  out: number;
  unknown: number;
  refused: number;
  unsent: number;
}

export function countParts(parts: readonly PartOf[]): PartCounts {
  const count = (is: (one: PartOf) => boolean) => parts.filter(is).length;
  return {
    all: parts.length,
    out: count(({ part }) => part.status === "completed"),
    unknown: count(isUnknown),
    refused: count(isRefused),
    unsent: count(isUnsent),
  };
}

/** A part with its post and what went before it. */
interface Placed {
  upload: UploadState;
  part: PartState;
  position: number;
  parent: string;
  found: Arrival[];
}

function placedParts({ uploads, arrivals }: Evidence): Placed[] {
  const byText = Map.groupBy(arrivals, ({ text }) => text);
  return uploads.flatMap((upload) =>
    upload.parts.map((part, i) => ({
      upload,
      part,
      position: i + 1,
      parent: part.kind === "comment" ? upload.text : (upload.parts[i - 1]?.text ?? upload.text),
      found: byText.get(part.text) ?? [],
    })),
  );
}

const show = ({ upload, part, position, found }: Placed): string =>
  `#${upload.id} "${part.text}" (part ${position}) ${part.status} ${part.failureCode ?? ""}, ${found.length} at the platform`;

/**
 * Only the first failed part can be published without an answer, because no part after it is sent. Of a restored post, all
 * may be out since before the restore.
 */
function mayBeOut({ upload, part, position }: Placed): boolean {
  if (firstFailed({ upload, part })?.message?.startsWith(RESTORED)) return true;
  const isFirst = upload.parts.slice(0, position - 1).every(({ status }) => status === "completed");
  return isFirst && part.failureCode === "platform_processing_timeout";
}

const endsWith = (id: string, key: string): boolean =>
  id === key || id.endsWith(`/${key}`) || id.endsWith(`,${key})`);

/** An answer that was lost may leave a part without its address. */
function isNamed({ platformPostId, shareUrl }: PartState, { key, url }: Arrival): boolean {
  if (key !== undefined && !endsWith(platformPostId ?? "", key)) return false;
  return url === undefined || shareUrl === null || shareUrl === url;
}

/** Says what the platform has other than the answer does, or null. */
function untruth(placed: Placed): string | null {
  const { upload, part, found } = placed;
  const [arrival] = found;
  switch (part.status) {
    case "completed":
      if (upload.status !== "completed") return "it is out, and its post is not";
      if (!arrival) return "it is not there";
      return isNamed(part, arrival) ? null : `${part.platformPostId} is not its id`;
    case "failed":
      return arrival && !mayBeOut(placed) ? "it is there" : null;
    default:
      if (upload.status === "completed") return "it has not ended";
      return arrival ? "it is there" : null;
  }
}

/** Says why an arrived part is not where it belongs, or null. */
function misplaced({ upload, parent, found: [arrival] }: Placed, all: Evidence): string | null {
  if (!arrival) return null;
  const { under, at } = arrival;
  if (under?.parent !== parent) return `it stands under "${under?.parent}", not under "${parent}"`;
  if (under.root !== upload.text) return `its thread begins with "${under.root}"`;
  const before = all.arrivals.find(({ text }) => text === parent);
  return before && before.at <= at ? null : `"${parent}" was not out before it`;
}

/** Judges the parts that follow posts. */
export function judgeParts(evidence: Evidence): Judgement[] {
  const placed = placedParts(evidence);
  const told = Map.groupBy(
    evidence.events.filter(({ name }) => name === "upload.part_failed"),
    ({ uploadId }) => uploadId,
  );
  const list = (reasonOf: (part: Placed) => string | null) =>
    placed.flatMap((part) => {
      const reason = reasonOf(part);
      return reason === null ? [] : [`${show(part)}: ${reason}`];
    });
  return [
    {
      invariant: "P1",
      claim: "no part goes out twice",
      violations: list(({ found }) => (found.length > 1 ? "twice" : null)),
    },
    {
      invariant: "P2",
      claim: "what the answers say of parts is so",
      violations: list(untruth),
    },
    {
      invariant: "P3",
      claim: "each part stands under the right post, and after it",
      violations: list((part) => misplaced(part, evidence)),
    },
    {
      invariant: "P4",
      claim: "a part that failed is told of once",
      violations: evidence.uploads.flatMap((upload) => {
        const hasFailed = upload.parts.some(({ status }) => status === "failed");
        const isOut = upload.status === "completed";
        const times = told.get(upload.id)?.length ?? 0;
        return times === Number(hasFailed && isOut) ? [] : [`#${upload.id}: ${times} events`];
      }),
    },
  ];
}
