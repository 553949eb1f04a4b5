-- Addresses of RSS, Atom and JSON feeds whose new entries become posts.
CREATE TABLE feeds (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  team_id INTEGER NOT NULL,
  url TEXT NOT NULL,
  account_ids TEXT NOT NULL CHECK (json_valid(account_ids)),
  template TEXT NOT NULL,
  -- NULL: the posts go out at once.
  status TEXT CHECK (status IN ('draft', 'pending_approval')),
  takes_picture INTEGER NOT NULL,
  is_active INTEGER NOT NULL,
  -- Whose posts they are, and whether that caller may publish.
  created_by INTEGER NOT NULL,
  may_publish INTEGER NOT NULL,
  origin TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  next_at INTEGER NOT NULL,
  checked_at INTEGER,
  etag TEXT,
  last_modified TEXT,
  -- Checks in a row that failed.
  failures INTEGER NOT NULL,
  -- Why the last check failed, or an entry made no post.
  problem TEXT
) STRICT;

CREATE INDEX feeds_by_team ON feeds (team_id);
CREATE INDEX feeds_due ON feeds (next_at) WHERE is_active = 1;

-- The entries that a feed had: each makes its posts once.
CREATE TABLE feed_entries (
  feed_id INTEGER NOT NULL,
  -- SHA-256 of the entry's id, or of its address.
  key TEXT NOT NULL,
  team_id INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  PRIMARY KEY (feed_id, key)
) STRICT, WITHOUT ROWID;
