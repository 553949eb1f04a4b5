-- What people write in the composer, before it is sent.
CREATE TABLE drafts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  team_id INTEGER NOT NULL,
  created_by INTEGER NOT NULL,
  -- JSON: fields, texts, files and date, as the composer has them.
  content TEXT NOT NULL,
  -- Counts the saves: a save names the version that it changes.
  version INTEGER NOT NULL DEFAULT 1,
  updated_by INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE INDEX drafts_of_team ON drafts (team_id, updated_at);
CREATE INDEX drafts_by_age ON drafts (updated_at);

-- Files that drafts need.
CREATE TABLE draft_files (
  team_id INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  draft_id INTEGER NOT NULL,
  PRIMARY KEY (team_id, sha256, draft_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX draft_files_of_draft ON draft_files (draft_id);

CREATE TRIGGER keep_draft_files AFTER INSERT ON drafts BEGIN
  INSERT OR IGNORE INTO draft_files (team_id, sha256, draft_id)
  SELECT NEW.team_id, value, NEW.id FROM json_tree(NEW.content) WHERE key IN ('mediaId', 'thumbnailMediaId') AND type = 'text';
END;

CREATE TRIGGER change_draft_files AFTER UPDATE OF content ON drafts BEGIN
  DELETE FROM draft_files WHERE draft_id = NEW.id AND sha256 NOT IN
    (SELECT value FROM json_tree(NEW.content) WHERE key IN ('mediaId', 'thumbnailMediaId') AND type = 'text');
  INSERT OR IGNORE INTO draft_files (team_id, sha256, draft_id)
  SELECT NEW.team_id, value, NEW.id FROM json_tree(NEW.content) WHERE key IN ('mediaId', 'thumbnailMediaId') AND type = 'text';
END;

CREATE TRIGGER forget_draft_files AFTER DELETE ON drafts BEGIN
  DELETE FROM draft_files WHERE draft_id = OLD.id;
END;
