import type { Clock } from "../../pages/times.tsx";
import type { EventName } from "../events/catalogue.ts";
import type { UploadEvent, WholeUpload } from "./repo.ts";

export interface Step {
  at: Date;
  text: string;
}

type Data = Partial<
  Record<"scheduledFor" | "errorMessage" | "comment" | "reviewedBy", string | null>
> & { position?: number };

const wordsOf = (name: EventName, data: Data, clock: Clock): string => {
  const planned = data.scheduledFor ? ` for ${clock.local(new Date(data.scheduledFor))}` : "";
  const words: Partial<Record<EventName, string>> = {
    "upload.scheduled": `Planned${planned}`,
    "upload.failed": `Failed: ${data.errorMessage ?? "the reason is not known"}`,
    "upload.part_failed": `Part ${data.position} failed: ${data.errorMessage ?? "the reason is not known"}`,
    "upload.cancelled": "Cancelled",
    "upload.edited": "The published text was edited",
    "upload.changes_requested": `Changes were requested${data.reviewedBy === "client" ? " by the client" : ""}: ${data.comment ?? ""}`,
    "upload.approved": `Approved${data.reviewedBy === "client" ? " by the client" : ""}`,
  };
  return words[name] ?? name;
};

/** Tolerance between a time in the post's row and the event's time. */
const SAME_MOMENT_MS = 2_000;

/** Oldest first. */
export function timelineOf(
  upload: WholeUpload,
  events: readonly UploadEvent[],
  clock: Clock,
): Step[] {
  const eventSteps = events.map(({ name, data, createdAt }) => ({
    at: createdAt,
    text: wordsOf(name, data as Data, clock),
    name,
  }));
  /** The row's time counts only without an event at that time. */
  const own = (at: Date | null, text: string, name: EventName): Step[] => {
    if (at === null) return [];
    const hasEvent = eventSteps.some(
      (one) => one.name === name && Math.abs(one.at.getTime() - at.getTime()) <= SAME_MOMENT_MS,
    );
    return hasEvent ? [] : [{ at, text }];
  };
  const isCancelled = upload.failureCode === "cancelled";
  const steps: Step[] = [
    { at: upload.createdAt, text: upload.creator ? `Created by ${upload.creator}` : "Created" },
    ...eventSteps.map(({ at, text }) => ({ at, text })),
    ...(upload.submittedAt ? [{ at: upload.submittedAt, text: "Handed to the platform" }] : []),
    ...own(upload.uploadedAt, "Published", "upload.completed"),
    ...own(upload.unpublishedAt, "Taken down", "upload.unpublished"),
    ...own(
      upload.failedAt,
      isCancelled ? "Cancelled" : `Failed: ${upload.errorMessage ?? "the reason is not known"}`,
      isCancelled ? "upload.cancelled" : "upload.failed",
    ),
  ];
  return steps.sort((one, other) => one.at.getTime() - other.at.getTime());
}
