/** Spec is silent: as UTF-8 JSON, more than the longest texts of a post take. */
export const MAX_DRAFT_BYTES = 400_000;
/** Of a team. Spec is silent. */
export const MAX_TEAM_DRAFTS = 200;
/** A draft is removed when it was not saved for so long. */
export const DRAFT_DAYS = 90;
