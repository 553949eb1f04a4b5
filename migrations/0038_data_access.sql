-- When the platform stops giving the app the person's data, although the login works; null where it
-- does not say.
ALTER TABLE accounts ADD COLUMN data_access_ends_at INTEGER;
-- For which of these ends the team has been told.
ALTER TABLE accounts ADD COLUMN access_told_for INTEGER;
CREATE INDEX accounts_by_data_access ON accounts (data_access_ends_at)
  WHERE data_access_ends_at IS NOT NULL AND status = 'active' AND deleted_at IS NULL;
-- Facebook is asked for the end of logins that are connected already.
UPDATE accounts SET renew_at = unixepoch() * 1000
  WHERE platform = 'facebook' AND status = 'active' AND deleted_at IS NULL AND renew_at IS NULL
    AND credentials IS NOT NULL;
