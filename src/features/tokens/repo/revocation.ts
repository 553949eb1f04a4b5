/** The values become part of the SQL text, because the command line cannot send parameters. */
interface Revocation {
  /** `id` and `atMs` are whole numbers. */
  id: number;
  atMs: number;
  /** SQL condition on the token's row. */
  condition?: string;
}

/**
 * Revokes in one batch a token, the tokens made by it, and the open invites and links made by any of them. The first
 * statement returns the revoked tokens.
 */
export function revocation({ id, atMs, condition = "TRUE" }: Revocation): [string, ...string[]] {
  const person = `SELECT user_id FROM tokens WHERE id = ${id}`;
  return [
    `UPDATE tokens SET revoked_at = ${atMs} WHERE revoked_at IS NULL AND id IN (
      WITH RECURSIVE family (id, user_id) AS (
        SELECT id, user_id FROM tokens WHERE id = ${id} AND revoked_at IS NULL AND ${condition}
        UNION SELECT child.id, child.user_id FROM family
          CROSS JOIN tokens child ON child.user_id = family.user_id AND child.made_by = family.id)
      SELECT id FROM family)
    RETURNING id, name, hint`,
    ...endingsOf({
      revoked: `SELECT k.id FROM tokens k
        WHERE k.user_id = (${person}) AND k.revoked_at = ${atMs}`,
      teams: `SELECT m.team_id FROM members m WHERE m.user_id = (${person})`,
      atMs,
    }),
  ];
}

interface Ending {
  /** SQL that selects the ids of the tokens that were just revoked. */
  revoked: string;
  /** SQL that selects the teams in which they may have made something. */
  teams: string;
  atMs: number;
}

/** Ends the open invites and links that revoked tokens made. */
export function endingsOf({ revoked, teams, atMs }: Ending): string[] {
  const openReviewLinks = `SELECT l.id FROM review_links l
    WHERE l.team_id IN (${teams}) AND l.expires_at > ${atMs} AND l.token_id IN (${revoked})`;
  return [
    `UPDATE invites SET revoked_at = ${atMs} WHERE team_id IN (${teams})
      AND accepted_at IS NULL AND revoked_at IS NULL AND token_id IN (${revoked})`,
    `DELETE FROM review_posts WHERE (team_id, upload_id, link_id) IN (
      SELECT l.team_id, item.value, l.id FROM review_links l, json_each(l.upload_ids) item
      WHERE l.id IN (${openReviewLinks}))`,
    `DELETE FROM review_links WHERE id IN (${openReviewLinks})`,
    `DELETE FROM connection_links WHERE team_id IN (${teams}) AND account_id IS NULL
      AND expires_at > ${atMs} AND token_id IN (${revoked})`,
  ];
}
