/** Figures of a member's post take one call each. */
export const MEMBER_METRICS = 4;

export const MEMBER_POSTS_PER_READ = 4;

/**
 * The newest posts whose figures are read. An app in the Development tier may make 100 calls a day for each member, of
 * which publishing needs some.
 * @see https://learn.microsoft.com/linkedin/marketing/increasing-access
 */
export const MEASURED_MEMBER_POSTS = 15;
