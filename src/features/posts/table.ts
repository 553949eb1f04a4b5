import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { FailureCode } from "../../core/failures.ts";
import type { Platform } from "../../core/platforms.ts";
import type { StatusGroup, UploadStatus } from "../../core/upload-status.ts";
import { instant, json } from "../../db/columns.ts";
import type { Bookmark } from "../../platforms/connector.ts";
import type { Removed } from "../../platforms/removal.ts";
import type { FileRef } from "../media/table.ts";
import type { Part } from "./parts.ts";
import type { Stage } from "./rules.ts";

/**
 * A file: stored (by its hash), or still to be downloaded (by its URL). `thumbnail`: an optional picture of the post's
 * video. `setting`: the setting in which the file's URL stands.
 */
export type MediaRef = (
  | FileRef
  /**
   * `isGone`: the download failed, and the post goes out without the file. `problem`: a sentence on why the download
   * failed for a post that awaits approval.
   */
  | { url: string; isGone?: true; problem?: string }
) & {
  role?: "thumbnail" | "setting" | "part";
  setting?: string;
  /** The common alternative text. */
  altText?: string;
};

/** Posts are compared by their digests. */
export interface PostDigest {
  /** SHA-256 of the text's letters and digits. */
  hash: string;
  /** SHA-256 of the files in any order; absent in older posts. */
  files?: string;
  /** Lower-case names, with the @. */
  mentions: string[];
}

/** Source: spec, Upload, `metadata`. */
export interface UploadMetadata {
  videoId: string;
  shareUrl: string | null;
  /** Parts that the platform refused; absent when it took all. */
  warnings?: string[];
}

export interface RemovedPost {
  id: string;
  how: Removed;
}

export interface Correction {
  title: string | null;
  description: string | null;
  /** ISO 8601. */
  startedAt: string;
}

export type EditedField =
  | "title"
  | "description"
  | "files"
  | "scheduledFor"
  | "thread"
  | "first_comment";

/** The row is the post's publishing job too. */
export const uploads = sqliteTable("uploads", {
  id: integer("id").primaryKey(),
  teamId: integer("team_id").notNull(),
  accountId: text("account_id").notNull(),
  platform: text("platform").$type<Platform>().notNull(),
  createdBy: integer("created_by"),
  status: text("status").$type<UploadStatus>().notNull(),
  statusGroup: text("status_group").$type<StatusGroup>().notNull(),
  title: text("title"),
  description: text("description"),
  settings: json<Record<string, unknown>>("settings").notNull(),
  media: json<MediaRef[]>("media").notNull(),
  fileSize: integer("file_size").notNull().default(0),
  origin: text("origin").notNull().default(""),
  scheduledFor: instant("scheduled_for"),
  sortAt: instant("sort_at").notNull(),
  createdAt: instant("created_at").notNull(),
  dueAt: instant("due_at"),
  wokenAt: instant("woken_at"),
  attempt: integer("attempt").notNull().default(1),
  backoffs: integer("backoffs").notNull().default(0),
  stage: text("stage").$type<Stage>().notNull().default("preparing"),
  bookmark: json<Bookmark>("bookmark"),
  fence: integer("fence").notNull().default(0),
  leaseUntil: instant("lease_until"),
  crashes: integer("crashes").notNull().default(0),
  progressedAt: instant("progressed_at"),
  submittedAt: instant("submitted_at"),
  countedAt: instant("counted_at"),
  uploadedAt: instant("uploaded_at"),
  failedAt: instant("failed_at"),
  failureCode: text("failure_code").$type<FailureCode>(),
  errorMessage: text("error_message"),
  metadata: json<UploadMetadata>("metadata"),
  approvedHash: text("approved_hash"),
  reviewComment: text("review_comment"),
  deletedAt: instant("deleted_at"),
  creditsSpent: integer("credits_spent"),
  creditsRefunded: integer("credits_refunded"),
  restarts: integer("restarts").notNull().default(0),
  submits: integer("submits").notNull().default(0),
  textDigest: json<PostDigest>("text_digest"),
  sentBytes: integer("sent_bytes"),
  /** Null when `approvedHash` is null. */
  approvedBy: text("approved_by", { enum: ["team", "client"] }),
  /** Null when a client approved. */
  approverId: integer("approver_id"),
  /**
   * Fields edited since submission by a person who may not approve; null for none, and for posts that await no
   * approval.
   */
  editedFields: json<EditedField[]>("edited_fields"),
  /** Null for none. */
  parts: json<Part[]>("parts"),
  part: integer("part").notNull().default(0),
  posts: integer("posts").notNull().default(1),
  unpublishStartedAt: instant("unpublish_started_at"),
  unpublishLeaseUntil: instant("unpublish_lease_until"),
  removals: json<RemovedPost[]>("removals"),
  unpublishedAt: instant("unpublished_at"),
  correction: json<Correction>("correction"),
  /**
   * Time of the backup from which the row was restored when the post was due. The post is then looked up, and never
   * sent before a person retries it. Null for all others.
   */
  backedUpAt: instant("backed_up_at"),
  /** What an import made the post from, with the account; null for all other posts. */
  sourceKey: text("source_key"),
});

export type UploadRow = typeof uploads.$inferSelect;

interface UploadAccount {
  id: string;
  platform: Platform;
  accountName: string;
  profileImageUrl: string | null;
  tags: string;
}

/** The only columns that lists of posts read. */
export const RECORD_PROPERTIES = [
  "id",
  "teamId",
  "accountId",
  "platform",
  "status",
  "title",
  "description",
  "settings",
  "media",
  "fileSize",
  "scheduledFor",
  "createdAt",
  "attempt",
  "uploadedAt",
  "failureCode",
  "errorMessage",
  "metadata",
  "reviewComment",
  "creditsSpent",
  "creditsRefunded",
  "stage",
  "sentBytes",
  "parts",
  "part",
  "unpublishedAt",
] as const satisfies (keyof UploadRow)[];

export type UploadRecord = Pick<UploadRow, (typeof RECORD_PROPERTIES)[number]>;

/** The newest link, which may have expired. */
export interface ReviewLinkRef {
  id: number;
  expiresAt: Date;
}

export interface UploadWithAccount {
  upload: UploadRecord;
  account: UploadAccount | null;
  reviewLink: ReviewLinkRef | null;
  /** The month of the archive that has the post; absent for posts in the database. */
  archived?: string;
}

export const OLDER_PROPERTIES = [
  "id",
  "createdBy",
  "accountId",
  "platform",
  "title",
  "statusGroup",
  "uploadedAt",
  "metadata",
  "fileSize",
] as const satisfies (keyof UploadRow)[];

export type OlderRecord = Pick<UploadRow, (typeof OLDER_PROPERTIES)[number]>;
