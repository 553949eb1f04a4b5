-- The beginning of what an endpoint answered to a failed attempt.
ALTER TABLE attempts ADD COLUMN answer TEXT;
