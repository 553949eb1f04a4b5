-- Stored before the first call that deletes a post at its platform, so that a crash is finished by asking again.
ALTER TABLE uploads ADD COLUMN unpublish_started_at INTEGER;
-- Another call deletes nothing before this time.
ALTER TABLE uploads ADD COLUMN unpublish_lease_until INTEGER;
-- JSON: the platform's ids that are gone, and how each was found.
ALTER TABLE uploads ADD COLUMN removals TEXT;
ALTER TABLE uploads ADD COLUMN unpublished_at INTEGER;
