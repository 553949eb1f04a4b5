-- Secret addresses at which clients read a team's figures. The address is the signed id.
CREATE TABLE reports (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  team_id INTEGER NOT NULL,
  created_by INTEGER NOT NULL,
  -- The token that made it, with which it ends. NULL: made by a person who was signed in.
  token_id INTEGER,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  title TEXT,
  -- Which accounts, how many days, and by what the lines are split.
  filter TEXT NOT NULL,
  -- In UTC days since 1970. NULL: the newest days, whenever it is opened.
  last_day INTEGER
) STRICT;

CREATE INDEX reports_of_team ON reports (team_id, id);
