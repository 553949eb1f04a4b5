-- Secret addresses by which other calendars read a team's posts. The address is the signed id.
CREATE TABLE calendar_feeds (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  team_id INTEGER NOT NULL,
  created_by INTEGER NOT NULL,
  -- The token that made it, with which it ends. NULL: made by a person who was signed in.
  token_id INTEGER,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX calendar_feeds_of_team ON calendar_feeds (team_id, id);
