-- What people, tokens, agents, clients and the system changed in a team. A change and its line are written together.
CREATE TABLE activity (
  team_id INTEGER NOT NULL,
  -- Sorts by time.
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  actor_kind TEXT NOT NULL,
  -- Of a person, a token, or a client's link. NULL: the system.
  actor_id INTEGER,
  -- As it was then.
  actor_name TEXT NOT NULL,
  action TEXT NOT NULL,
  subject_kind TEXT NOT NULL,
  -- NULL: several subjects, or one that has no id.
  subject_id TEXT,
  PRIMARY KEY (team_id, id)
) STRICT, WITHOUT ROWID;

-- The country of the call that last_used_at notes.
ALTER TABLE tokens ADD COLUMN last_used_from TEXT;
-- The last use by an agent, through /mcp.
ALTER TABLE tokens ADD COLUMN agent_used_at INTEGER;
