-- Where a team's events are sent to.
CREATE TABLE webhooks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  team_id INTEGER NOT NULL,
  url TEXT NOT NULL,
  -- JSON array of names, without spaces: the trigger below looks for a name in its quotes.
  events TEXT NOT NULL CHECK (json_valid(events)),
  -- Encrypted.
  secret TEXT NOT NULL,
  is_active INTEGER NOT NULL DEFAULT 1,
  -- When it was switched on last: what waited before that is not sent any more.
  active_since INTEGER NOT NULL,
  -- Events in a row that ran out of attempts.
  failure_count INTEGER NOT NULL DEFAULT 0,
  -- Attempts in a row that were not answered in time; any answer ends the row.
  timeouts INTEGER NOT NULL DEFAULT 0,
  -- When the next event of an endpoint that keeps timing out is sent.
  next_slot_at INTEGER NOT NULL DEFAULT 0,
  -- It was switched off by its failures, and nobody has been told yet.
  is_notice_due INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- The row stays until its log is removed.
  deleted_at INTEGER
) STRICT;

CREATE INDEX webhooks_of_team ON webhooks (team_id);
CREATE INDEX webhooks_to_tell_of ON webhooks (id) WHERE is_notice_due = 1;

-- The attempts that are still to be made, in the order in which they are due: the key is the whole table, so
-- that making, moving and removing one writes one row.
CREATE TABLE deliveries (
  due_at INTEGER NOT NULL,
  event_id TEXT NOT NULL,
  webhook_id INTEGER NOT NULL,
  team_id INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('event', 'replay', 'test')),
  -- Number of the attempt that is due.
  attempt INTEGER NOT NULL DEFAULT 1,
  -- Its turn at an endpoint that keeps timing out has been given out.
  has_slot INTEGER NOT NULL DEFAULT 0,
  queued_at INTEGER NOT NULL,
  -- The last tells replays of one event from one another: a move to another time never meets a row.
  PRIMARY KEY (due_at, event_id, webhook_id, queued_at)
) STRICT, WITHOUT ROWID;

-- The attempts that were made. Ids sort by time.
CREATE TABLE attempts (
  webhook_id INTEGER NOT NULL,
  id TEXT NOT NULL,
  team_id INTEGER NOT NULL,
  event_id TEXT NOT NULL,
  event TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  success INTEGER NOT NULL,
  status_code INTEGER,
  error TEXT,
  duration_ms INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (webhook_id, id)
) STRICT, WITHOUT ROWID;

-- An event and its deliveries are one write: nothing that emits can forget them.
CREATE TRIGGER deliver_event AFTER INSERT ON events BEGIN
  INSERT INTO deliveries (due_at, event_id, webhook_id, team_id, kind, queued_at)
  SELECT NEW.created_at, NEW.id, id, NEW.team_id, 'event', NEW.created_at FROM webhooks
  WHERE team_id = NEW.team_id AND deleted_at IS NULL AND is_active = 1
    AND instr(events, '"' || NEW.name || '"') > 0;
END;
