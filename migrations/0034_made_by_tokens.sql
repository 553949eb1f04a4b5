-- The token by which a token, an invite or a link was made: it ends when that token is revoked.
-- NULL: made by a person who was signed in, or before this migration.
ALTER TABLE tokens ADD COLUMN made_by INTEGER;
ALTER TABLE invites ADD COLUMN token_id INTEGER;
ALTER TABLE review_links ADD COLUMN token_id INTEGER;
ALTER TABLE connection_links ADD COLUMN token_id INTEGER;
