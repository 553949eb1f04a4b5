-- Times in a row that the daily look at a verified domain did not find the record of its team.
ALTER TABLE domains ADD COLUMN misses INTEGER NOT NULL DEFAULT 0;

-- Domains that were verified before the daily look begin it within a day, spread over it.
UPDATE domains SET check_at = unixepoch() * 1000 + 86400000 + (id % 1440) * 60000
WHERE verified_at IS NOT NULL AND deleted_at IS NULL;
