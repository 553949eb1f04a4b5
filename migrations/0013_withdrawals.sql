-- The person who gave a login, by the id that the platform has for them: other than the account's own where
-- the account is a Page. The platform names it when they withdraw their consent.
ALTER TABLE accounts ADD COLUMN platform_user_id TEXT;
CREATE INDEX accounts_by_platform_user ON accounts (platform, platform_user_id)
  WHERE platform_user_id IS NOT NULL;
