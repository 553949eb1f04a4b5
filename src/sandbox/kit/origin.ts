import type { Platform } from "../../core/platforms.ts";

export interface CallOrigin {
  teamId: number;
  /** Null while the account is being connected. */
  accountId: string | null;
  /** Null without a post. */
  uploadId: number | null;
  /** The platform that is meant, where several share a host. */
  platform?: Platform | null;
}
