-- When a login is to be renewed though nobody uses it; null: it keeps, or nobody can renew it.
ALTER TABLE accounts ADD COLUMN renew_at INTEGER;

-- Those connected before: by what is known of their end, else in the next night.
UPDATE accounts SET renew_at = CASE
    WHEN platform = 'tiktok' OR credentials_expire_at IS NULL THEN connected_at
    WHEN platform = 'threads' THEN credentials_expire_at - 20 * 86400000
    WHEN platform = 'instagram' THEN credentials_expire_at - 10 * 86400000
    ELSE credentials_expire_at - 5 * 86400000
  END
  WHERE platform IN ('instagram', 'threads', 'tiktok', 'pinterest')
    OR (platform = 'linkedin' AND credentials_expire_at IS NOT NULL);

DROP INDEX accounts_by_expiry;
CREATE INDEX accounts_by_renewal ON accounts (renew_at, id)
  WHERE status = 'active' AND renew_at IS NOT NULL AND deleted_at IS NULL;
