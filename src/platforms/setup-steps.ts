/** Addresses and files of this instance that a platform's forms ask for. */
export type OurValue =
  | "redirect"
  | "home"
  | "domain"
  | "privacy"
  | "terms"
  | "withdrawn"
  | "deletion"
  | "metadata";

export type StepKind =
  | "account"
  | "app"
  | "product"
  | "addresses"
  | "keys"
  | "people"
  | "domain"
  | "payment"
  | "live"
  | "verification"
  | "review"
  | "audit";

/**
 * `strangers`: accounts of people without a role in the owner's app. `colleagues`: other people than the app's owner.
 */
export type NeededFor = "everybody" | "colleagues" | "strangers" | "pages" | "quota";

/** One scene of a screen recording. */
export interface Scene {
  /** A path of this instance. Null for a page of the platform. */
  page: string | null;
  show: string;
}

/** What the owner sends to the people who review an app. */
export interface Submission {
  /** What the app does, to paste. */
  purpose: string;
  /** The scopes to explain. Absent for all that the connector asks for. */
  scopes?: readonly string[];
  /** Why the app asks for a scope. A scope without an entry is explained by its words on the connect page. */
  reasons: Readonly<Record<string, string>>;
  /** What the platform says that it wants to see. */
  asks: readonly string[];
  /** Empty where the platform asks for no recording. */
  recording: readonly Scene[];
  /** Reviewers sign in at this instance. */
  needsAccess?: true;
}

/** Two apps that look alike: the variable must not have the other one's value. */
export interface DifferentKey {
  variable: string;
  other: string;
  /** A sentence that says which key belongs here. */
  message: string;
}

interface StepFacts {
  /** Never changes, because ticks are stored under it. Unique on its platform. */
  id: string;
  title: string;
  /** Sentences about what to do. */
  todo: string;
  /** The platform's page for it. */
  page: string;
  /** What works before this step is done. */
  before: string;
  /** What works once it is done. */
  after: string;
  /** As the platform says. Absent where it says nothing. */
  takes?: string;
  neededFor: NeededFor;
  /** Our values, each with the name of the field that takes it. */
  pastes?: Partial<Record<OurValue, string>>;
  /** Scopes that this step switches on. */
  scopes?: readonly string[];
  /** Variables of this instance that take what the platform shows. */
  variables?: readonly string[];
  differs?: DifferentKey;
  /** Once it is passed, the owner names the platform in AUDITED_PLATFORMS. */
  endsLimits?: true;
  /** The platform confirms it when it knows the app's keys. */
  isChecked?: true;
}

export type SetupStep = StepFacts &
  (
    | { kind: "review" | "audit"; submission: Submission }
    | { kind: Exclude<StepKind, "review" | "audit">; submission?: never }
  );
