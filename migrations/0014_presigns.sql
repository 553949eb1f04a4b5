-- Files that a team was given addresses for, to put them into storage itself. A row without upload_id is a single
-- PUT. Rows live longer than the 30 days over which their bytes are added up.
CREATE TABLE presigns (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  team_id INTEGER NOT NULL,
  user_id INTEGER NOT NULL,
  route TEXT NOT NULL,
  object_key TEXT NOT NULL,
  name TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  mime TEXT NOT NULL,
  part_bytes INTEGER,
  upload_id TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  completed_at INTEGER,
  aborted_at INTEGER,
  -- When its object went, or was about to: from then on no post can take it.
  removed_at INTEGER
) STRICT;
CREATE INDEX presigns_by_team ON presigns (team_id, created_at, size_bytes);
CREATE UNIQUE INDEX presigns_by_object ON presigns (object_key);

-- The object of a presigned file is pinned by its ETag; sha256 is then that of key, ETag and size.
ALTER TABLE media ADD COLUMN etag TEXT;
-- SHA-256 of such a file's bytes, once somebody needed it.
ALTER TABLE media ADD COLUMN content_sha256 TEXT;

-- Bytes of the post's files that its platform has, while it is published in pieces.
ALTER TABLE uploads ADD COLUMN sent_bytes INTEGER;
