/** The host and slug of a short link. */
export interface LinkAddress {
  /** Null means the instance's own address. */
  host: string | null;
  /** Undecoded in the address of a visit; elsewhere normalized. */
  slug: string;
}

/** Source: design of the addresses, `/s/{slug}`. */
export const SHORT_PATH = "/s/";
