-- What a post was made from: a row of an imported file, or its importId. A source makes one post for each account.
ALTER TABLE uploads ADD COLUMN source_key TEXT;

CREATE INDEX uploads_by_source ON uploads (team_id, source_key) WHERE source_key IS NOT NULL;
