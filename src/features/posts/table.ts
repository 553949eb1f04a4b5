import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { FailureCode } from "../../core/failures.ts";
import type { Platform } from "../../core/platforms.ts";
import type { StatusGroup, UploadStatus } from "../../core/upload-status.ts";
import { instant, json } from "../../db/columns.ts";
import type { Bookmark } from "../../platforms/connector.ts";
import type { FileRef } from "../media/table.ts";
import type { Stage } from "./rules.ts";

/**
 * A file of a post: one in storage by its content, or one that the job is still to download.
 * `thumbnail`: a picture for the post's video, which the post can do without. `setting`: a file that the setting of
 * that name names by its address.
 */
export type MediaRef = (
  | FileRef
  /**
   * `isGone`: it could not be downloaded, and the post goes out without it. `problem`: why the file of a post that is
   * held could not be downloaded, as a sentence.
   */
  | { url: string; isGone?: true; problem?: string }
) & {
  role?: "thumbnail" | "setting";
  setting?: string;
};

/** A digest of a post for comparison with others, however long its text is. */
export interface PostDigest {
  /** SHA-256 of its letters and digits: the same for texts that count as equal. */
  hash: string;
  /** SHA-256 of its files, whatever their order; absent in posts stored before it was kept. */
  files?: string;
  /** Lower case, with the @. */
  mentions: string[];
}

/** The published post as its platform names it. Source: spec, Upload, `metadata`. */
interface UploadMetadata {
  videoId: string;
  shareUrl: string | null;
  /** Parts of the post that the platform did not take; absent where it took everything. */
  warnings?: string[];
}

/** Fields of a post that an edit can change, by their wire names. */
export type EditedField = "title" | "description" | "scheduledFor";

/** One account of one post; the row is its job too. */
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
  /** Null with `approvedHash`. */
  approvedBy: text("approved_by").$type<"team" | "client">(),
  /** The person of the team who approved; null for a client. */
  approverId: integer("approver_id"),
  /** Fields edited since the submission by who may not approve; null for none, and for posts that are not held. */
  editedFields: json<EditedField[]>("edited_fields"),
});

export type UploadRow = typeof uploads.$inferSelect;

/** The account as it stands beside each of its posts. */
interface UploadAccount {
  id: string;
  platform: Platform;
  accountName: string;
  profileImageUrl: string | null;
  tags: string;
}

/** Properties of an upload that callers are shown: lists read nothing else of their many rows. */
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
] as const satisfies (keyof UploadRow)[];

export type UploadRecord = Pick<UploadRow, (typeof RECORD_PROPERTIES)[number]>;

/** The newest link by which a client reviews a post; it may have ended. */
export interface ReviewLinkRef {
  id: number;
  expiresAt: Date;
}

export interface UploadWithAccount {
  upload: UploadRecord;
  account: UploadAccount | null;
  reviewLink: ReviewLinkRef | null;
}

/** Properties of a post that the older operations show. */
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
