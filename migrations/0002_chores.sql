-- How far the work of a night has come, so that ticks which come twice, late or not at all do no harm.
CREATE TABLE chores (
  name TEXT PRIMARY KEY,
  -- ISO date of the night.
  day TEXT NOT NULL,
  -- Where to go on; null: done for this night.
  cursor TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX accounts_by_expiry ON accounts (credentials_expire_at, id)
  WHERE status = 'active' AND credentials_expire_at IS NOT NULL AND deleted_at IS NULL;
