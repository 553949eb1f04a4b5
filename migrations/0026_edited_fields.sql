-- Fields of a post that awaits approval which were edited after it was submitted, by a person or token that may
-- not approve it: a JSON array of their names. Null for none.
ALTER TABLE uploads ADD COLUMN edited_fields TEXT;
