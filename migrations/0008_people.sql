-- People who sign in, the teams they are invited to, and what a team and a person set for themselves.

-- Who is signed in. The token is in the person's cookie alone: here stands its SHA-256, hex.
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  token_hash TEXT NOT NULL UNIQUE,
  user_id INTEGER NOT NULL REFERENCES users (id),
  ip_address TEXT,
  user_agent TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- One-time links and the challenges of passkeys, until they are used or expire.
CREATE TABLE verifications (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  identifier TEXT NOT NULL,
  value TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX verifications_by_identifier ON verifications (identifier);
CREATE INDEX verifications_by_expiry ON verifications (expires_at);

CREATE TABLE passkeys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id),
  name TEXT,
  credential_id TEXT NOT NULL UNIQUE,
  public_key TEXT NOT NULL,
  counter INTEGER NOT NULL,
  device_type TEXT NOT NULL,
  backed_up INTEGER NOT NULL,
  transports TEXT,
  aaguid TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX passkeys_by_user ON passkeys (user_id);

-- The token is in the link alone: here stands its SHA-256, hex.
CREATE TABLE invites (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  team_id INTEGER NOT NULL REFERENCES teams (id),
  token_hash TEXT NOT NULL UNIQUE,
  -- The address that was invited; else the last one that a holder of the link gave, null before that.
  email TEXT,
  -- 0: whoever holds the link may accept, with any address.
  is_addressed INTEGER NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('ADMIN', 'MEMBER')),
  invited_by INTEGER NOT NULL REFERENCES users (id),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  accepted_at INTEGER,
  accepted_by INTEGER REFERENCES users (id),
  revoked_at INTEGER
) STRICT;

CREATE INDEX invites_by_team ON invites (team_id, id DESC)
  WHERE accepted_at IS NULL AND revoked_at IS NULL;
CREATE INDEX invites_by_expiry ON invites (expires_at);
CREATE INDEX invites_by_email ON invites (email)
  WHERE email IS NOT NULL AND accepted_at IS NULL AND revoked_at IS NULL;

-- Someone who is signed in sees all teams that they belong to.
CREATE INDEX members_by_user ON members (user_id);

-- Noted once an hour at most.
ALTER TABLE tokens ADD COLUMN last_used_at INTEGER;
CREATE INDEX tokens_by_team ON tokens (team_id) WHERE team_id IS NOT NULL;

-- IANA zone of the workspace; null: UTC.
ALTER TABLE teams ADD COLUMN zone TEXT;
ALTER TABLE teams ADD COLUMN requires_approval INTEGER NOT NULL DEFAULT 0;
-- JSON: name, link, and the logo's object, type and size; null: none.
ALTER TABLE teams ADD COLUMN branding TEXT;
-- JSON: lists of hashtags by platform, lower case, in place of the platform's own; null: none.
ALTER TABLE teams ADD COLUMN banned_hashtags TEXT;
-- A team that is being deleted: nobody belongs to it any more, and its rows go in slices.
ALTER TABLE teams ADD COLUMN deleted_at INTEGER;
CREATE INDEX teams_deleted ON teams (deleted_at) WHERE deleted_at IS NOT NULL;

-- Addresses are compared in lower case. Whoever has the same twice keeps both as they are.
UPDATE OR IGNORE users SET email = lower(email) WHERE email <> lower(email);

-- JSON: the channels on which a person is told of what; null: the usual ones.
ALTER TABLE users ADD COLUMN notifications TEXT;

CREATE TABLE suggestions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  team_id INTEGER NOT NULL REFERENCES teams (id),
  user_id INTEGER NOT NULL REFERENCES users (id),
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE INDEX suggestions_by_team ON suggestions (team_id, id DESC);
CREATE INDEX suggestions_by_user ON suggestions (user_id);

-- All that a team has can be found, and nothing of another is read, when it is exported and deleted.
CREATE INDEX accounts_by_team ON accounts (team_id, id);
CREATE INDEX uploads_removed ON uploads (team_id) WHERE deleted_at IS NOT NULL;
CREATE INDEX credit_packs_by_team ON credit_packs (team_id, id);
CREATE INDEX invites_of_team ON invites (team_id, id);
CREATE INDEX invites_by_inviter ON invites (invited_by);
CREATE INDEX invites_by_accepter ON invites (accepted_by) WHERE accepted_by IS NOT NULL;
