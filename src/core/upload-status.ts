/** Source: spec, "Upload status". */
export const UPLOAD_STATUSES = [
  "draft",
  "pending_approval",
  "scheduled",
  "pending",
  "processing",
  "completed",
  "failed",
] as const;

export type UploadStatus = (typeof UPLOAD_STATUSES)[number];

/** Words for each status, after "The post is". */
export const STATUS_WORDS: Record<UploadStatus, string> = {
  draft: "a draft",
  pending_approval: "waiting for approval",
  scheduled: "scheduled",
  pending: "waiting to be published",
  processing: "being published",
  completed: "published",
  failed: "failed",
};

/** The indexed status: `processing` counts as `pending`, so that taking a job does not change the index. */
export type StatusGroup = Exclude<UploadStatus, "processing">;

export const groupOf = (status: UploadStatus): StatusGroup =>
  status === "processing" ? "pending" : status;

/** For each status, the statuses from which a stored post can change to it. Source: spec, "Upload status". */
export const COMES_FROM: Record<UploadStatus, readonly UploadStatus[]> = {
  draft: ["pending_approval"],
  pending_approval: ["draft", "scheduled", "pending", "processing", "failed"],
  scheduled: ["draft", "pending_approval", "scheduled", "pending"],
  pending: ["draft", "pending_approval", "scheduled", "processing", "failed"],
  processing: ["pending", "processing", "completed"],
  completed: ["processing"],
  failed: ["scheduled", "pending", "processing"],
};

/** True for a post that a person has yet to release or approve. */
export const isDraft = (status: UploadStatus): boolean =>
  status === "draft" || status === "pending_approval";

export const isRunnable = (status: UploadStatus): boolean =>
  status === "pending" || status === "scheduled" || status === "processing";
