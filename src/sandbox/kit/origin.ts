export interface CallOrigin {
  teamId: number;
  /** Null while the account is being connected. */
  accountId: string | null;
  /** Null for a call that belongs to no post. */
  uploadId: number | null;
}
