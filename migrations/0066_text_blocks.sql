-- Texts that posts name as {block:name}.
CREATE TABLE text_blocks (
  team_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  -- 'utm': parameters that are added to an address.
  kind TEXT NOT NULL CHECK (kind IN ('text', 'utm')),
  text TEXT NOT NULL,
  -- 0: the last who saved it may not publish, so posts that name it wait for approval.
  may_publish INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, name)
) STRICT, WITHOUT ROWID;
