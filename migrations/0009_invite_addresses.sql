-- The addresses that holders of an invite's link gave, where the invite names none. Each may sign in by a link
-- of its own while the invite is open. They go with the invite.
CREATE TABLE invite_addresses (
  invite_id INTEGER NOT NULL REFERENCES invites (id) ON DELETE CASCADE,
  email TEXT NOT NULL,
  given_at INTEGER NOT NULL,
  PRIMARY KEY (invite_id, email)
) STRICT, WITHOUT ROWID;

CREATE INDEX invite_addresses_by_email ON invite_addresses (email);

-- Until now an invite kept the last of them.
INSERT INTO invite_addresses (invite_id, email, given_at)
  SELECT id, email, created_at FROM invites WHERE NOT is_addressed AND email IS NOT NULL;
UPDATE invites SET email = NULL WHERE NOT is_addressed AND email IS NOT NULL;
