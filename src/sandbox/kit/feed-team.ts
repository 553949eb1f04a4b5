export type FeedTeam = number | "all";

/** SQL condition on `team_id`. A null binding matches no row. */
export const isOfTeam = (binding: string): string => `(${binding} = 'all' OR team_id = ${binding})`;
