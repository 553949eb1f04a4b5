-- Addresses are one by lower case, in which they are stored from now on. Somebody whose address another has in
-- lower case keeps it as it is: the command line tells the two apart by their ids.
UPDATE OR IGNORE users SET email = lower(email) WHERE email <> lower(email);

-- 1: somebody else had the same address in lower case when that became one.
ALTER TABLE users ADD COLUMN shares_address INTEGER NOT NULL DEFAULT 0;
UPDATE users SET shares_address = 1 WHERE email <> lower(email);
CREATE UNIQUE INDEX users_by_address ON users (lower(email), iif(shares_address, id, 0));
