-- Who began what ends later, by which token: it ends only while they still may. Null where a client's link began it.
ALTER TABLE consents ADD COLUMN user_id INTEGER;
ALTER TABLE consents ADD COLUMN token_id INTEGER;
-- Null for a person who was signed in; as for the rows from before.
ALTER TABLE presigns ADD COLUMN token_id INTEGER;
