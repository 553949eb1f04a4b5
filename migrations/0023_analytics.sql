-- How the posts of an account do, in two rows: what an overview of a team reads, and every post by itself.
CREATE TABLE analytics (
  team_id INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  -- Rises with every write: one that rests on an older state is refused.
  version INTEGER NOT NULL,
  -- The night whose collection was worked on last, and where it goes on: null once it is done.
  night TEXT,
  bookmark TEXT,
  synced_at INTEGER,
  -- JSON array: what the last sync could not read, and why.
  errors TEXT NOT NULL CHECK (json_valid(errors)),
  -- JSON: gains and followers by day, and by month once days are old.
  series TEXT NOT NULL CHECK (json_valid(series)),
  -- JSON: what is known of all posts together.
  summary TEXT NOT NULL CHECK (json_valid(summary)),
  PRIMARY KEY (team_id, account_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE analytics_posts (
  team_id INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  -- JSON array, newest first.
  posts TEXT NOT NULL CHECK (json_valid(posts)),
  PRIMARY KEY (team_id, account_id)
) STRICT, WITHOUT ROWID;

-- Platforms ask that what was read with a login goes with it.
CREATE TRIGGER forget_analytics AFTER UPDATE OF deleted_at ON accounts WHEN NEW.deleted_at IS NOT NULL BEGIN
  DELETE FROM analytics WHERE team_id = NEW.team_id AND account_id = NEW.id;
  DELETE FROM analytics_posts WHERE team_id = NEW.team_id AND account_id = NEW.id;
END;
