-- Programs that people allow to act for them by OAuth. A grant is a row of `tokens`, whose hash nobody can present:
-- person, team, scopes and end are read there, so that whatever ends a token ends its grant at once.
CREATE TABLE oauth_clients (
  id TEXT PRIMARY KEY,
  -- By itself, or by the owner of a team.
  kind TEXT NOT NULL CHECK (kind IN ('registered', 'app')),
  team_id INTEGER,
  name TEXT NOT NULL,
  redirect_uris TEXT NOT NULL CHECK (json_valid(redirect_uris)),
  auth_method TEXT NOT NULL CHECK (auth_method IN ('none', 'client_secret_basic', 'client_secret_post')),
  secret_hash TEXT,
  created_by INTEGER,
  created_at INTEGER NOT NULL,
  -- Of the last grant that began or was renewed.
  used_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX oauth_clients_of_team ON oauth_clients (team_id) WHERE team_id IS NOT NULL;

-- Client id metadata documents, by their address.
CREATE TABLE oauth_documents (
  url TEXT PRIMARY KEY,
  -- NULL: it could never be read.
  document TEXT,
  fetched_at INTEGER NOT NULL,
  fresh_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE oauth_grants (
  -- Of the row in `tokens`.
  id INTEGER PRIMARY KEY,
  -- Part of every token of the grant.
  key TEXT NOT NULL UNIQUE,
  client_id TEXT NOT NULL,
  client_kind TEXT NOT NULL CHECK (client_kind IN ('document', 'registered', 'app', 'cli')),
  -- The host of the metadata document, else of the redirect address.
  client_host TEXT NOT NULL,
  resource TEXT NOT NULL CHECK (resource IN ('mcp', 'api')),
  -- Ids of the accounts that it may use. NULL: all of the team.
  accounts TEXT,
  -- NULL: until it is ended or idle.
  expires_at INTEGER,
  idle_at INTEGER NOT NULL,
  -- Scopes that a call lacked.
  wanted TEXT
) STRICT;

CREATE INDEX oauth_grants_of_client ON oauth_grants (client_id);

CREATE TABLE oauth_codes (
  hash TEXT PRIMARY KEY,
  key TEXT NOT NULL,
  client_id TEXT NOT NULL,
  client_kind TEXT NOT NULL CHECK (client_kind IN ('document', 'registered', 'app', 'cli')),
  client_name TEXT NOT NULL,
  client_host TEXT NOT NULL,
  redirect_uri TEXT NOT NULL,
  challenge TEXT NOT NULL,
  resource TEXT NOT NULL CHECK (resource IN ('mcp', 'api')),
  user_id INTEGER NOT NULL,
  team_id INTEGER NOT NULL,
  scopes TEXT NOT NULL CHECK (json_valid(scopes)),
  accounts TEXT,
  grant_expires_at INTEGER,
  expires_at INTEGER NOT NULL,
  used_at INTEGER,
  -- The hash of the access token that it was exchanged for.
  access_hash TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX oauth_codes_by_end ON oauth_codes (expires_at);

CREATE TABLE oauth_access (
  hash TEXT PRIMARY KEY,
  grant_id INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX oauth_access_by_end ON oauth_access (expires_at);

-- Renewal makes the next pair out of the presented token, so that the same token always gets the same pair.
CREATE TABLE oauth_refresh (
  hash TEXT PRIMARY KEY,
  grant_id INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  replaced_at INTEGER,
  next_hash TEXT,
  next_access_hash TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX oauth_refresh_replaced ON oauth_refresh (replaced_at) WHERE replaced_at IS NOT NULL;

-- Authorization requests of visitors who sign in first.
CREATE TABLE oauth_requests (
  hash TEXT PRIMARY KEY,
  query TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX oauth_requests_by_end ON oauth_requests (expires_at);

CREATE INDEX oauth_access_of_grant ON oauth_access (grant_id);
CREATE INDEX oauth_refresh_of_grant ON oauth_refresh (grant_id);

CREATE TRIGGER erase_grant AFTER DELETE ON tokens
WHEN EXISTS (SELECT 1 FROM oauth_grants WHERE id = OLD.id)
BEGIN
  DELETE FROM oauth_access WHERE grant_id = OLD.id;
  DELETE FROM oauth_refresh WHERE grant_id = OLD.id;
  DELETE FROM oauth_grants WHERE id = OLD.id;
END;
