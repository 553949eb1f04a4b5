-- The app that a login is from; NULL: the platform's first app.
ALTER TABLE accounts ADD COLUMN app TEXT;
-- Optional permissions that the person granted, separated by spaces; NULL: unknown.
ALTER TABLE accounts ADD COLUMN granted_scopes TEXT;
-- The app whose consent page is used, and the type of account that was requested (page); NULL: a person.
ALTER TABLE consents ADD COLUMN app TEXT;
ALTER TABLE consents ADD COLUMN type TEXT;
ALTER TABLE connection_links ADD COLUMN type TEXT;
