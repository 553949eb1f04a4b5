export interface CallOrigin {
  teamId: number;
  /** Null while the account is being connected. */
  accountId: string | null;
  /** Null without a post. */
  uploadId: number | null;
}
