-- Time of the backup from which the row came back when the post was due: it may be out already. Null for all others.
ALTER TABLE uploads ADD COLUMN backed_up_at INTEGER;

-- What this instance knows of its own backups. Backups do not have these two tables.
CREATE TABLE backups (
  -- The name of its folder.
  id TEXT PRIMARY KEY,
  started_at INTEGER NOT NULL,
  -- Null until its manifest is stored.
  finished_at INTEGER,
  rows INTEGER NOT NULL DEFAULT 0,
  -- Stored bytes.
  bytes INTEGER NOT NULL DEFAULT 0,
  -- Why its last page failed; null once a page succeeded.
  error TEXT,
  -- When the owner was told that there is no newer finished one.
  told_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE backup_slices (
  backup_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  -- A table, or 'objects' for the list of the bucket's objects.
  source TEXT NOT NULL,
  rows INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  PRIMARY KEY (backup_id, number)
) STRICT, WITHOUT ROWID;
