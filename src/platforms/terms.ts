interface Address {
  /** As in "you agree to YouTube's Terms of Service". */
  name: string;
  url: string;
}

/** What the platform wants to be shown to people who connect an account, and in the terms and the privacy page. */
export interface PlatformTerms {
  /** The platform's name of its API. */
  api: string;
  /** What this service does with the API, as in "this service reads the name and picture of the channel". */
  uses: string;
  service: Address;
  privacy: Address;
  /** Where a person ends this instance's access. */
  access: Address;
}
