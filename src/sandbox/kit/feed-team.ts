/** The team whose part of the feed a call is about. */
export type FeedTeam = number | "all";

/** Makes the condition that a row is of the bound team. A binding of null finds nothing. */
export const isOfTeam = (binding: string): string => `(${binding} = 'all' OR team_id = ${binding})`;
