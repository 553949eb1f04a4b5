/** The account and post on whose behalf a simulated platform is called. */
export interface CallOrigin {
  teamId: number;
  /** Null while the account is being connected. */
  accountId: string | null;
  /** Null where the call is not part of a post. */
  uploadId: number | null;
}
