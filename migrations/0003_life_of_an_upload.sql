-- Null: the plan of this instance (DEFAULT_PLAN).
ALTER TABLE teams ADD COLUMN plan TEXT;
-- JSON array: words that no post of the team may hold.
ALTER TABLE teams ADD COLUMN blocklist TEXT;

-- Over all attempts; null for a post that costs nothing, or has not been tried.
ALTER TABLE uploads ADD COLUMN credits_spent INTEGER;
ALTER TABLE uploads ADD COLUMN credits_refunded INTEGER;

-- How often this attempt began from the start because what it had prepared was gone.
ALTER TABLE uploads ADD COLUMN restarts INTEGER NOT NULL DEFAULT 0;

-- What an account has posted and plans: for duplicates, mentions and the queue of the account.
CREATE INDEX uploads_by_account ON uploads (account_id, sort_at DESC) WHERE deleted_at IS NULL;

-- The posts of a batch are one use: so many, their ids following each other from upload_id on.
ALTER TABLE media_uses ADD COLUMN posts INTEGER NOT NULL DEFAULT 1;

-- Answers that a repeated call gets again.
CREATE TABLE idempotency (
  team_id INTEGER NOT NULL,
  route TEXT NOT NULL,
  key TEXT NOT NULL,
  -- SHA-256 of the body.
  fingerprint TEXT NOT NULL,
  -- JSON; the ids of new uploads count from first_upload_id.
  answer TEXT NOT NULL,
  first_upload_id INTEGER,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, route, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_by_age ON idempotency (created_at);

-- The included credits of a month; the row of a new month is what resets them.
CREATE TABLE credit_periods (
  team_id INTEGER NOT NULL,
  -- 2026-11, UTC.
  period TEXT NOT NULL,
  included INTEGER NOT NULL CHECK (included >= 0),
  PRIMARY KEY (team_id, period)
) STRICT, WITHOUT ROWID;

CREATE TABLE credit_balances (
  team_id INTEGER PRIMARY KEY,
  purchased INTEGER NOT NULL CHECK (purchased >= 0)
) STRICT;

CREATE TABLE credit_packs (
  id TEXT PRIMARY KEY,
  team_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  credits INTEGER NOT NULL,
  granted_at INTEGER NOT NULL,
  refunded_at INTEGER
) STRICT, WITHOUT ROWID;

-- Every movement. Positive gives, negative takes; `reference` is an upload's attempt or a pack.
CREATE TABLE credit_ledger (
  team_id INTEGER NOT NULL,
  reference TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('allowance', 'debit', 'refund', 'pack', 'pack_refund')),
  period TEXT NOT NULL,
  included INTEGER NOT NULL,
  purchased INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (team_id, reference, kind)
) STRICT, WITHOUT ROWID;
