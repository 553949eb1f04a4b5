-- People on their way through a platform's consent page. A row is one try, of some minutes.
CREATE TABLE consents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  team_id INTEGER NOT NULL,
  platform TEXT NOT NULL,
  mode TEXT NOT NULL,
  -- SHA-256 of the token in the address that begins it, hex.
  opener_hash TEXT NOT NULL,
  identifier TEXT,
  -- A path of this service, or the address of somebody else's.
  return_to TEXT,
  link_id INTEGER,
  -- The account that is connected again.
  account_id TEXT,
  -- SHA-256 of the state that the platform brings back, and of the browser's cookie.
  state_hash TEXT,
  browser_hash TEXT,
  -- Encrypted: what is needed when the person comes back, then the accounts to choose from.
  memory TEXT,
  step TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX consents_by_opener ON consents (opener_hash);
CREATE UNIQUE INDEX consents_by_state ON consents (state_hash) WHERE state_hash IS NOT NULL;
CREATE INDEX consents_by_end ON consents (expires_at);

-- Links by which a client connects an account to a team.
CREATE TABLE connection_links (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  team_id INTEGER NOT NULL,
  platform TEXT NOT NULL,
  mode TEXT NOT NULL,
  logo_url TEXT,
  title TEXT,
  description TEXT,
  redirect_url TEXT,
  tags TEXT NOT NULL,
  created_by INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  -- When somebody came back with an account; without account_id, a claim that is not done.
  connected_at INTEGER,
  account_id TEXT
) STRICT;
CREATE INDEX connection_links_by_team ON connection_links (team_id, id);
CREATE INDEX connection_links_pending ON connection_links (team_id, expires_at)
  WHERE account_id IS NULL;
CREATE INDEX connection_links_by_end ON connection_links (expires_at);

-- The optional permissions that an account was connected without, separated by spaces.
ALTER TABLE accounts ADD COLUMN missing_scopes TEXT;
-- When the login ends for good, whatever is renewed; null where it does not, or nobody knows.
ALTER TABLE accounts ADD COLUMN login_ends_at INTEGER;
-- For which of these ends the team has been told.
ALTER TABLE accounts ADD COLUMN ending_told_for INTEGER;
CREATE INDEX accounts_by_login_end ON accounts (login_ends_at)
  WHERE login_ends_at IS NOT NULL AND status = 'active' AND deleted_at IS NULL;
-- Who else has connected the same account.
CREATE INDEX accounts_by_platform_id ON accounts (platform, platform_account_id)
  WHERE deleted_at IS NULL;
