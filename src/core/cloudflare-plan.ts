/** Source: Workers, "Limits": subrequests of an invocation on the free plan. */
const FREE_SUBREQUESTS = 50;

export interface PlanFacts {
  subrequestsPerInvocation: number;
}

/** The Worker cannot ask for its plan: an owner who allows more subrequests than the free plan has pays. */
export const isPaidPlan = ({ subrequestsPerInvocation }: PlanFacts): boolean =>
  subrequestsPerInvocation > FREE_SUBREQUESTS;
