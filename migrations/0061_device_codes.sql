-- Requests of programs on devices without a browser. Once it is allowed, a code of the same hash waits in `oauth_codes`.
CREATE TABLE oauth_devices (
  -- Of the device code.
  hash TEXT PRIMARY KEY,
  -- What the person types, without its dash.
  user_code TEXT NOT NULL UNIQUE,
  -- Part of every token of the grant that it becomes.
  key TEXT NOT NULL,
  client_id TEXT NOT NULL,
  resource TEXT NOT NULL CHECK (resource IN ('mcp', 'api')),
  scopes TEXT NOT NULL CHECK (json_valid(scopes)),
  expires_at INTEGER NOT NULL,
  -- Between two polls.
  interval_seconds INTEGER NOT NULL,
  polled_at INTEGER,
  denied_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX oauth_devices_by_end ON oauth_devices (expires_at);
