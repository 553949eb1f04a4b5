-- The person of the team who did it; null for a client, a job or a platform.
ALTER TABLE events ADD COLUMN actor_id INTEGER;

-- Where notices go beside the mail of a person: their browsers, and addresses of chats, their own or a team's.
CREATE TABLE notice_targets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- 0 for what is a person's own.
  team_id INTEGER NOT NULL,
  -- 0 for what is a team's.
  user_id INTEGER NOT NULL,
  channel TEXT NOT NULL CHECK (channel IN ('push', 'messaging')),
  -- SHA-256 of a browser's address, by which it is known again; null for a chat.
  digest TEXT,
  -- Encrypted: the address and what else is needed to send to it.
  sealed TEXT NOT NULL,
  -- What people know it by: the browser, or the address without its secret.
  label TEXT NOT NULL,
  -- Why the last notice was not taken; null once one was.
  error TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX notice_targets_of ON notice_targets (user_id, team_id);
CREATE UNIQUE INDEX notice_targets_browser ON notice_targets (digest) WHERE digest IS NOT NULL;
CREATE UNIQUE INDEX notice_targets_chat ON notice_targets (team_id, user_id) WHERE channel = 'messaging';

-- What is still to be told, in the order in which it is due; a row goes with its end. The key is the whole
-- table, as that of deliveries.
CREATE TABLE notices (
  due_at INTEGER NOT NULL,
  -- Id of the event, of the webhook that was switched off, or of the account whose login ends.
  subject TEXT NOT NULL,
  -- 0: nobody is addressed yet, or a team's chat is.
  user_id INTEGER NOT NULL,
  -- 0: nobody is addressed yet, or the mail of the person is.
  target_id INTEGER NOT NULL,
  channel TEXT NOT NULL CHECK (channel IN ('unaddressed', 'email', 'push', 'messaging')),
  team_id INTEGER NOT NULL,
  -- Number of the attempt that is due.
  attempt INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (due_at, subject, user_id, target_id)
) STRICT, WITHOUT ROWID;

-- An event and the notice of it are one write: nothing that emits can forget it. A post that fails again after
-- a retry is told of once.
CREATE TRIGGER notice_event AFTER INSERT ON events
WHEN NEW.name IN ('upload.approved', 'upload.changes_requested', 'upload.failed') BEGIN
  INSERT INTO notices (due_at, subject, user_id, target_id, channel, team_id, created_at)
  SELECT NEW.created_at, NEW.id, 0, 0, 'unaddressed', NEW.team_id, NEW.created_at
  WHERE NEW.name <> 'upload.failed' OR NOT EXISTS (SELECT 1 FROM events
    WHERE team_id = NEW.team_id AND data ->> 'uploadId' = NEW.data ->> 'uploadId'
      AND data ->> 'uploadId' IS NOT NULL AND name <> 'upload.completed'
      AND name = 'upload.failed' AND id <> NEW.id);
END;

CREATE TRIGGER notice_webhook AFTER UPDATE OF is_notice_due ON webhooks
WHEN NEW.is_notice_due = 1 AND OLD.is_notice_due = 0 BEGIN
  INSERT OR IGNORE INTO notices (due_at, subject, user_id, target_id, channel, team_id, created_at)
  VALUES (NEW.updated_at, 'whk_' || NEW.id, 0, 0, 'unaddressed', NEW.team_id, NEW.updated_at);
END;

INSERT INTO notices (due_at, subject, user_id, target_id, channel, team_id, created_at)
SELECT updated_at, 'whk_' || id, 0, 0, 'unaddressed', team_id, updated_at FROM webhooks
WHERE is_notice_due = 1;
DROP INDEX webhooks_to_tell_of;
