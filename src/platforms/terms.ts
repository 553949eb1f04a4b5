interface Address {
  /** As in "you agree to YouTube's Terms of Service". */
  name: string;
  url: string;
}

/** What the platform wants to be shown to people who connect an account, and in the terms and the privacy page. */
export interface PlatformTerms {
  /** The platform's name of its API. */
  api: string;
  service: Address;
  privacy: Address;
  /** Where a person ends this instance's access. */
  access: Address;
}
