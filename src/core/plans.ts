import type { Platform } from "./platforms.ts";

export const PLAN_NAMES = ["owner", "basic", "pro", "scale"] as const;
export type PlanName = (typeof PLAN_NAMES)[number];

/** Null means unlimited. */
export interface Plan {
  monthlyPosts: number | null;
  members: number | null;
  /** Size of presigned uploads in 30 days. */
  presignBytes: number | null;
  /** Size of the files that a team keeps. */
  keptBytes: number | null;
  analytics: boolean;
  customDomains: boolean;
  /** X credits per month. */
  xCredits: number;
  /** Null means all platforms. */
  platforms: readonly string[] | null;
}

/** Bought X credits, which never expire. `price` is text for people. */
export interface CreditPack {
  name: string;
  credits: number;
  price: string;
}

export interface Plans {
  plans: Record<PlanName, Plan>;
  packs: readonly CreditPack[];
  /** Posts in 24 hours, for platforms whose own limit is replaced. */
  dailyCaps: Partial<Record<Platform, number>>;
}

const GIGABYTE = 1_000_000_000;

/** Spec is silent on quotas other than X credits. `owner` is the plan of a private instance. */
export const DEFAULT_PLANS: Plans = {
  plans: {
    owner: {
      monthlyPosts: null,
      members: null,
      presignBytes: null,
      keptBytes: null,
      analytics: true,
      customDomains: true,
      xCredits: 100_000,
      platforms: null,
    },
    basic: {
      monthlyPosts: 200,
      members: 1,
      presignBytes: 20 * GIGABYTE,
      keptBytes: 20 * GIGABYTE,
      analytics: false,
      customDomains: false,
      xCredits: 50,
      platforms: null,
    },
    pro: {
      monthlyPosts: 1_000,
      members: 5,
      presignBytes: 200 * GIGABYTE,
      keptBytes: 200 * GIGABYTE,
      analytics: true,
      customDomains: false,
      xCredits: 150,
      platforms: null,
    },
    scale: {
      monthlyPosts: 10_000,
      members: 25,
      presignBytes: null,
      keptBytes: 2_000 * GIGABYTE,
      analytics: true,
      customDomains: false,
      xCredits: 300,
      platforms: null,
    },
  },
  packs: [
    { name: "Starter", credits: 100, price: "$5" },
    { name: "Growth", credits: 500, price: "$20" },
    { name: "Bulk", credits: 2_000, price: "$60" },
  ],
  dailyCaps: {},
};
