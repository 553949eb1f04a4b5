-- Posts that ended over 13 months ago are lines of compressed files in the storage, one file for each team and month.

-- One file. A month that outgrows it goes on in another part.
CREATE TABLE archive_files (
  team_id INTEGER NOT NULL,
  -- Such as 2025-03: of the planned date, else of the date of creation, in UTC.
  month TEXT NOT NULL,
  part INTEGER NOT NULL,
  -- Rises when a run begins to append: only the run that raised it last may add a member.
  fence INTEGER NOT NULL,
  -- Of all members. What the object has behind them is left over from a run that broke off.
  size_bytes INTEGER NOT NULL,
  posts INTEGER NOT NULL,
  PRIMARY KEY (team_id, month, part)
) STRICT, WITHOUT ROWID;

-- A gzip member of a file, which is read by itself.
CREATE TABLE archive_members (
  team_id INTEGER NOT NULL,
  month TEXT NOT NULL,
  part INTEGER NOT NULL,
  byte_offset INTEGER NOT NULL,
  byte_length INTEGER NOT NULL,
  raw_bytes INTEGER NOT NULL,
  posts INTEGER NOT NULL,
  first_id INTEGER NOT NULL,
  last_id INTEGER NOT NULL,
  -- The earliest and the latest date by which its posts are listed.
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  -- JSON array: the lowest id, then the distance of each id from the one before.
  ids TEXT NOT NULL CHECK (json_valid(ids)),
  -- Of the compressed bytes.
  sha256 TEXT NOT NULL,
  PRIMARY KEY (team_id, month, part, byte_offset)
) STRICT, WITHOUT ROWID;
