/** Values of this instance that a platform's forms ask for. */
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

/** `strangers`: people without a role in the owner's app. `colleagues`: other people than the app's owner. */
export type NeededFor = "everybody" | "colleagues" | "strangers" | "pages" | "quota";

/** Part of a screen recording. */
export interface Scene {
  /** A path of this instance. Null for a page of the platform. */
  page: string | null;
  show: string;
}

/** For the people who review the owner's app. */
export interface Submission {
  /** What the app does, to paste. */
  purpose: string;
  /** Scopes to explain. Absent for all that the connector asks for. */
  scopes?: readonly string[];
  /** A scope without an entry is explained by its words on the connect page. */
  reasons: Readonly<Record<string, string>>;
  /** What the platform wants to see. */
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
  message: string;
}

interface StepFacts {
  /** Never changes, because ticks are stored under it. Unique on its platform. */
  id: string;
  title: string;
  /** Sentences about what to do. */
  todo: string;
  /** The platform's page. */
  page: string;
  /** What already works before this step. */
  before: string;
  /** What works after this step. */
  after: string;
  /** As the platform says. Absent where it says nothing. */
  takes?: string;
  neededFor: NeededFor;
  /** Our values, with the names of the platform's fields. */
  pastes?: Partial<Record<OurValue, string>>;
  /** Scopes that this step switches on. */
  scopes?: readonly string[];
  /** Variables of this instance that take what the platform shows. */
  variables?: readonly string[];
  differs?: DifferentKey;
  /** Afterwards, the owner names the platform in AUDITED_PLATFORMS. */
  endsLimits?: true;
  /** Done once the platform knows the app's keys. */
  isChecked?: true;
}

export type SetupStep = StepFacts &
  (
    | { kind: "review" | "audit"; submission: Submission }
    | { kind: Exclude<StepKind, "review" | "audit">; submission?: never }
  );
