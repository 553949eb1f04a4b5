/** Where a link stands. */
export interface Place {
  /** Null: the instance's own address. */
  host: string | null;
  /** As slugs are compared. */
  slug: string;
}

/** Source: design of the addresses, `/s/{slug}`. */
export const SHORT_PATH = "/s/";
