-- Links by which a client reviews posts of a team.
CREATE TABLE review_links (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  team_id INTEGER NOT NULL,
  -- JSON array of ids, in the order in which the page shows them.
  upload_ids TEXT NOT NULL CHECK (json_valid(upload_ids)),
  created_by INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX review_links_of_team ON review_links (team_id, expires_at);
CREATE INDEX review_links_by_end ON review_links (expires_at);

-- The links of each post, by which it is shown with its newest one, and its files are kept until they end.
CREATE TABLE review_posts (
  team_id INTEGER NOT NULL,
  upload_id INTEGER NOT NULL,
  link_id INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, upload_id, link_id)
) STRICT, WITHOUT ROWID;
