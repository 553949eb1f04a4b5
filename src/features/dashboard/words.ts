import { FAILURES, type FailureCode, LOOK_FIRST } from "../../core/failures.ts";
import type { UploadStatus } from "../../core/upload-status.ts";
import type { AccountRow } from "../accounts/table.ts";

/** The style sheet's name of a colour; empty for none. */
type Tone = "good" | "bad" | "wait" | "";

interface Words {
  text: string;
  tone: Tone;
}

export const STATUS_WORDS: Record<UploadStatus, Words> = {
  draft: { text: "Draft", tone: "" },
  pending_approval: { text: "Waits for approval", tone: "wait" },
  scheduled: { text: "Scheduled", tone: "" },
  pending: { text: "In the queue", tone: "wait" },
  processing: { text: "Being published", tone: "wait" },
  completed: { text: "Published", tone: "good" },
  failed: { text: "Failed", tone: "bad" },
};

const CANCELLED: Words = { text: "Cancelled", tone: "" };
const TAKEN_DOWN: Words = { text: "Taken down", tone: "" };

export function wordsOfUpload(upload: {
  status: UploadStatus;
  failureCode: FailureCode | null;
  unpublishedAt: Date | null;
}): Words {
  if (upload.unpublishedAt) return TAKEN_DOWN;
  return upload.status === "failed" && upload.failureCode === "cancelled"
    ? CANCELLED
    : STATUS_WORDS[upload.status];
}

export const ACCOUNT_WORDS: Record<AccountRow["status"], Words> = {
  active: { text: "Connected", tone: "good" },
  expired: { text: "Login expired", tone: "bad" },
  revoked: { text: "Login revoked", tone: "bad" },
};

const ADVICE: Record<(typeof FAILURES)[FailureCode]["nextAction"], string> = {
  retry_later: "The platform takes no more posts for now. Wait a while, then retry.",
  reconnect_account: "Reconnect the account, then retry.",
  retry: "Retry the post.",
  replace_media: "Create the post again with another file.",
  edit_post: "Change the text, then retry.",
  check_platform: LOOK_FIRST.replace(" with force: true", ""),
  none: "There is nothing to do.",
};

export const adviceFor = (code: FailureCode): string => ADVICE[FAILURES[code].nextAction];
