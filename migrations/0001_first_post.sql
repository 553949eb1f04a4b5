-- Tables are STRICT; WITHOUT ROWID where the key is the natural one, which saves a row written per
-- insert. Instants are epoch milliseconds. Ids given out are never used again.

CREATE TABLE users (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  email TEXT NOT NULL UNIQUE,
  name TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE teams (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  slug TEXT NOT NULL UNIQUE,
  owner_id INTEGER NOT NULL UNIQUE REFERENCES users (id),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE members (
  team_id INTEGER NOT NULL REFERENCES teams (id),
  user_id INTEGER NOT NULL REFERENCES users (id),
  role TEXT NOT NULL CHECK (role IN ('OWNER', 'ADMIN', 'MEMBER')),
  is_active INTEGER NOT NULL DEFAULT 1,
  joined_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  hash TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  -- What a person may see of the token again: its first 8 and last 4 characters.
  hint TEXT NOT NULL,
  user_id INTEGER NOT NULL REFERENCES users (id),
  -- The team it is pinned to; null: any team of its user.
  team_id INTEGER REFERENCES teams (id),
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT;

CREATE INDEX tokens_by_user ON tokens (user_id);

CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  team_id INTEGER NOT NULL,
  platform TEXT NOT NULL,
  platform_account_id TEXT NOT NULL,
  account_name TEXT NOT NULL,
  handle TEXT,
  profile_image_url TEXT,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'sandbox')),
  status TEXT NOT NULL CHECK (status IN ('active', 'expired', 'revoked')),
  tags TEXT NOT NULL DEFAULT '',
  service TEXT,
  -- Encrypted, bound to this row; null once the account is disconnected.
  credentials TEXT,
  credentials_expire_at INTEGER,
  refresh_lease_until INTEGER,
  failure_count INTEGER NOT NULL DEFAULT 0,
  connected_at INTEGER NOT NULL,
  -- A disconnected account keeps its row, so that its posts keep their history.
  deleted_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX accounts_by_platform_account
  ON accounts (team_id, platform, platform_account_id) WHERE deleted_at IS NULL;

CREATE TABLE media (
  team_id INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  -- The object in storage.
  object_key TEXT NOT NULL,
  kind TEXT NOT NULL,
  mime TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  width INTEGER,
  height INTEGER,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, sha256)
) STRICT, WITHOUT ROWID;

-- One account of one post. The row is the job too: due_at, lease, fence, stage and bookmark.
CREATE TABLE uploads (
  id INTEGER PRIMARY KEY,
  team_id INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  platform TEXT NOT NULL,
  created_by INTEGER,
  status TEXT NOT NULL,
  -- The status as the status index knows it: processing counts as pending, so that taking a job
  -- rewrites no index.
  status_group TEXT NOT NULL,
  title TEXT,
  description TEXT,
  settings TEXT NOT NULL,
  -- JSON array of {sha256} or {url}, in the post's order.
  media TEXT NOT NULL,
  file_size INTEGER NOT NULL DEFAULT 0,
  -- Under which address of ours the post came in: where platforms can pull its files from.
  origin TEXT NOT NULL DEFAULT '',
  scheduled_for INTEGER,
  -- scheduled_for, else created_at: what lists are ordered by.
  sort_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  -- When the job may next run; null when there is nothing to run.
  due_at INTEGER,
  -- When a wake-up message was last sent for due_at.
  woken_at INTEGER,
  attempt INTEGER NOT NULL DEFAULT 1,
  -- Back-offs taken in this attempt.
  backoffs INTEGER NOT NULL DEFAULT 0,
  stage TEXT NOT NULL DEFAULT 'preparing',
  bookmark TEXT,
  fence INTEGER NOT NULL DEFAULT 0,
  lease_until INTEGER,
  -- Runs in a row that ended without letting go of the job.
  crashes INTEGER NOT NULL DEFAULT 0,
  progressed_at INTEGER,
  submitted_at INTEGER,
  -- When the post took its place under the daily cap; null when it holds none.
  counted_at INTEGER,
  uploaded_at INTEGER,
  failed_at INTEGER,
  failure_code TEXT,
  error_message TEXT,
  metadata TEXT,
  approved_hash TEXT,
  review_comment TEXT,
  deleted_at INTEGER
) STRICT;

CREATE INDEX uploads_by_team ON uploads (team_id, sort_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX uploads_by_platform ON uploads (team_id, platform, sort_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX uploads_by_status ON uploads (team_id, status_group, sort_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX uploads_due ON uploads (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX uploads_counted ON uploads (account_id, counted_at) WHERE counted_at IS NOT NULL;

-- Which uploads need a file.
CREATE TABLE media_uses (
  team_id INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  upload_id INTEGER NOT NULL,
  PRIMARY KEY (team_id, sha256, upload_id)
) STRICT, WITHOUT ROWID;

-- Ids sort by time, so the key is the feed's order.
CREATE TABLE events (
  team_id INTEGER NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  data TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, id)
) STRICT, WITHOUT ROWID;
