-- How often this attempt entered the call that cannot be undone: it may do so four times.
ALTER TABLE uploads ADD COLUMN submits INTEGER NOT NULL DEFAULT 0;
