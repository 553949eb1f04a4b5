-- Steps of the set-up at a platform that are done: ticked by the owner, or confirmed by the platform.
CREATE TABLE setup_ticks (
  platform TEXT NOT NULL,
  step TEXT NOT NULL,
  source TEXT NOT NULL CHECK (source IN ('owner', 'platform')),
  ticked_at INTEGER NOT NULL,
  PRIMARY KEY (platform, step)
) STRICT, WITHOUT ROWID;
