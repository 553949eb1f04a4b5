-- A rehearsal of publishing with one account. The row is written before each call that publishes, so that it says what
-- may be out after a crash.
CREATE TABLE rehearsals (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  team_id INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  platform TEXT NOT NULL,
  text TEXT NOT NULL,
  stage TEXT NOT NULL,
  -- NULL until the rehearsal is over.
  outcome TEXT,
  -- NULL until the rehearsal is planned.
  plan TEXT,
  sample_sha256 TEXT,
  bookmark TEXT,
  platform_post_id TEXT,
  share_url TEXT,
  message TEXT,
  removals INTEGER NOT NULL DEFAULT 0,
  submitted_at INTEGER,
  -- Another invocation takes no step before this time.
  busy_until INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE INDEX rehearsals_team ON rehearsals (team_id, id);

-- One open rehearsal for each account.
CREATE UNIQUE INDEX rehearsals_open ON rehearsals (account_id) WHERE stage <> 'over';
