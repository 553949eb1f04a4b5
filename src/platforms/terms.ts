interface Address {
  /** As in "you agree to YouTube's Terms of Service". */
  name: string;
  url: string;
}

/** What the platform wants shown when an account is connected, and in the terms and the privacy page. */
export interface PlatformTerms {
  /** The API's name. */
  api: string;
  /** As in "this service reads the name and picture of the channel". */
  uses: string;
  service: Address;
  privacy: Address;
  /** Where people end this instance's access. */
  access: Address;
}
