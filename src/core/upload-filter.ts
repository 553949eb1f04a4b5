import type { Platform } from "./platforms.ts";
import type { UploadStatus } from "./upload-status.ts";

export interface UploadFilter {
  status?: UploadStatus | undefined;
  platform?: Platform | undefined;
  accountId?: string | undefined;
  /** Posts of other accounts are left out. */
  accounts?: readonly string[] | undefined;
  search?: string | undefined;
  /** By planned date, or creation date of a post without one. */
  startDate?: Date | undefined;
  endDate?: Date | undefined;
  limit: number;
  page: number;
}
