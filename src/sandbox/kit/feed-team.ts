export type FeedTeam = number | "all";

/** A null binding matches no row. */
export const isOfTeam = (binding: string): string => `(${binding} = 'all' OR team_id = ${binding})`;
