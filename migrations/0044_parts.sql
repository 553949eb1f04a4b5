-- What follows a post on its platform: the further posts of a thread, and a first comment. NULL for none.
ALTER TABLE uploads ADD COLUMN parts TEXT;
-- The part that the job works on. 0 is the post itself.
ALTER TABLE uploads ADD COLUMN part INTEGER NOT NULL DEFAULT 0;
-- The posts that the platform counts: the post and those of its thread.
ALTER TABLE uploads ADD COLUMN posts INTEGER NOT NULL DEFAULT 1;
-- The daily caps sum up the posts from the index alone.
DROP INDEX uploads_counted;
CREATE INDEX uploads_counted ON uploads (account_id, counted_at, posts) WHERE counted_at IS NOT NULL;
