import type { Clock } from "../../pages/times.tsx";
import type { EventName } from "../events/catalogue.ts";
import type { UploadEvent, WholeUpload } from "./repo.ts";

/** Something that happened to a post. */
export interface Step {
  at: Date;
  text: string;
}

/** Data of an event, of which this page reads what may be there. */
type Data = Partial<
  Record<"scheduledFor" | "errorMessage" | "comment" | "reviewedBy", string | null>
>;

const wordsOf = (name: EventName, data: Data, clock: Clock): string => {
  const planned = data.scheduledFor ? ` for ${clock.local(new Date(data.scheduledFor))}` : "";
  const words: Partial<Record<EventName, string>> = {
    "upload.scheduled": `Planned${planned}`,
    "upload.failed": `Failed: ${data.errorMessage ?? "the reason is not known"}`,
    "upload.cancelled": "Cancelled",
    "upload.changes_requested": `Changes were requested${data.reviewedBy === "client" ? " by the client" : ""}: ${data.comment ?? ""}`,
    "upload.approved": `Approved${data.reviewedBy === "client" ? " by the client" : ""}`,
  };
  return words[name] ?? name;
};

/** A post's own times and the event of the same moment are this close together. */
const SAME_MOMENT_MS = 2_000;

/** Everything that is known to have happened to a post, oldest first. Events are kept for a time only. */
export function timelineOf(
  upload: WholeUpload,
  events: readonly UploadEvent[],
  clock: Clock,
): Step[] {
  const told = events.map(({ name, data, createdAt }) => ({
    at: createdAt,
    text: wordsOf(name, data as Data, clock),
    name,
  }));
  /** A time of the row, when there is no event of that moment. */
  const own = (at: Date | null, text: string, name: EventName): Step[] => {
    if (at === null) return [];
    const isTold = told.some(
      (one) => one.name === name && Math.abs(one.at.getTime() - at.getTime()) <= SAME_MOMENT_MS,
    );
    return isTold ? [] : [{ at, text }];
  };
  const isCancelled = upload.failureCode === "cancelled";
  const steps: Step[] = [
    { at: upload.createdAt, text: upload.creator ? `Created by ${upload.creator}` : "Created" },
    ...told.map(({ at, text }) => ({ at, text })),
    ...(upload.submittedAt ? [{ at: upload.submittedAt, text: "Handed to the platform" }] : []),
    ...own(upload.uploadedAt, "Published", "upload.completed"),
    ...own(
      upload.failedAt,
      isCancelled ? "Cancelled" : `Failed: ${upload.errorMessage ?? "the reason is not known"}`,
      isCancelled ? "upload.cancelled" : "upload.failed",
    ),
  ];
  return steps.sort((one, other) => one.at.getTime() - other.at.getTime());
}
