-- What the file was called where it came from, or as a person has named it since.
ALTER TABLE media ADD COLUMN name TEXT;

-- A kept file stays without posts, until it is no longer kept or is removed.
ALTER TABLE media ADD COLUMN kept_at INTEGER;

-- A file that no post needs stays until then; null for files that came with a post.
ALTER TABLE media ADD COLUMN expires_at INTEGER;

CREATE INDEX media_kept ON media (team_id, size_bytes) WHERE kept_at IS NOT NULL;
