-- Queues of media that recurring slots take posts from.
CREATE TABLE pools (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  team_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  -- IANA zone, in which its slots tell the time.
  timezone TEXT NOT NULL,
  is_active INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;

CREATE INDEX pools_of_team ON pools (team_id);

CREATE TABLE pool_slots (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  pool_id INTEGER NOT NULL,
  team_id INTEGER NOT NULL,
  -- HH:MM on the wall.
  time TEXT NOT NULL,
  -- JSON array, 0 is Sunday.
  days TEXT NOT NULL CHECK (json_valid(days)),
  -- JSON array of ids, without spaces: see where an account is dropped from it.
  account_ids TEXT NOT NULL CHECK (json_valid(account_ids)),
  -- When it fires next, and for which local day; null while its pool is switched off.
  next_at INTEGER,
  next_day TEXT,
  -- When it fired last, and for which local day: it never fires for that one again.
  last_at INTEGER,
  last_day TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX pool_slots_of_pool ON pool_slots (pool_id);
CREATE INDEX pool_slots_due ON pool_slots (next_at) WHERE next_at IS NOT NULL;

-- Ids grow in the order in which items are added, which is the order in which they go.
CREATE TABLE pool_items (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  pool_id INTEGER NOT NULL,
  team_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  -- posting: its posts are on their way. removed: kept for a repeated call, then forgotten.
  state TEXT NOT NULL CHECK (state IN ('queued', 'posting', 'dispatched', 'skipped', 'removed')),
  title TEXT NOT NULL,
  description TEXT,
  settings TEXT NOT NULL CHECK (json_valid(settings)),
  media TEXT NOT NULL CHECK (json_valid(media)),
  -- Under which platforms pull the files.
  origin TEXT NOT NULL,
  added_by INTEGER NOT NULL,
  -- It was added with a right to publish; else its posts are held for approval.
  may_publish INTEGER NOT NULL,
  -- The firing that took it.
  slot_id INTEGER,
  fire_at INTEGER,
  -- Its posts, whose ids follow each other.
  first_upload_id INTEGER,
  last_upload_id INTEGER,
  -- Why accounts were refused, in words.
  reason TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX pool_items_of_pool ON pool_items (pool_id);
CREATE INDEX pool_items_by_state ON pool_items (pool_id, state);
CREATE INDEX pool_items_posting ON pool_items (id) WHERE state = 'posting';
CREATE UNIQUE INDEX pool_items_by_firing ON pool_items (slot_id, fire_at) WHERE slot_id IS NOT NULL;
CREATE INDEX pool_items_by_upload ON pool_items (first_upload_id) WHERE first_upload_id IS NOT NULL;

-- Files that waiting items need.
CREATE TABLE pool_files (
  team_id INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  item_id INTEGER NOT NULL,
  PRIMARY KEY (team_id, sha256, item_id)
) STRICT, WITHOUT ROWID;

-- What a slot did at an instant: the insert is the lock.
CREATE TABLE pool_firings (
  slot_id INTEGER NOT NULL,
  fire_at INTEGER NOT NULL,
  pool_id INTEGER NOT NULL,
  team_id INTEGER NOT NULL,
  local_day TEXT NOT NULL,
  -- The slot as it was.
  time TEXT NOT NULL,
  timezone TEXT NOT NULL,
  account_ids TEXT NOT NULL,
  -- due: still to be done. item: as its item ended.
  outcome TEXT NOT NULL CHECK (outcome IN ('due', 'item', 'empty', 'skipped', 'missed')),
  item_id INTEGER,
  reason TEXT,
  -- When its message was sent last.
  woken_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (slot_id, fire_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX pool_firings_of_pool ON pool_firings (pool_id, fire_at);
CREATE INDEX pool_firings_due ON pool_firings (woken_at) WHERE outcome = 'due';

-- An item ends with its posts: dispatched with the first that is published, skipped when the last has failed.
-- The post that the event tells of may not have changed yet.
CREATE TRIGGER end_pool_item AFTER INSERT ON events
WHEN NEW.name IN ('upload.completed', 'upload.failed', 'upload.cancelled') BEGIN
  UPDATE pool_items SET state = CASE
    WHEN NEW.name = 'upload.completed' OR EXISTS (SELECT 1 FROM uploads u
      WHERE u.id BETWEEN first_upload_id AND last_upload_id AND u.status = 'completed') THEN 'dispatched'
    ELSE 'skipped' END
  WHERE id = (SELECT id FROM pool_items WHERE first_upload_id <= NEW.data ->> 'uploadId'
      ORDER BY first_upload_id DESC LIMIT 1)
    AND last_upload_id >= NEW.data ->> 'uploadId'
    AND (state = 'posting' OR (state = 'skipped' AND NEW.name = 'upload.completed'))
    AND (NEW.name = 'upload.completed' OR NOT EXISTS (SELECT 1 FROM uploads u
      WHERE u.id BETWEEN first_upload_id AND last_upload_id AND u.id <> NEW.data ->> 'uploadId'
        AND u.deleted_at IS NULL AND u.status NOT IN ('completed', 'failed')));
END;
