ALTER TABLE accounts ADD COLUMN server_limits TEXT;
