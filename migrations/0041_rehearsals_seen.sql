-- A post that the platform has shown before, and shows no longer, is deleted.
ALTER TABLE rehearsals ADD COLUMN was_seen INTEGER NOT NULL DEFAULT 0;
