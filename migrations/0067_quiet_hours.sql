-- JSON {"from", "to", "timezone"}: the hours in which notices wait. Of a person, and of a team's chat.
ALTER TABLE users ADD COLUMN quiet_hours TEXT CHECK (quiet_hours IS NULL OR json_valid(quiet_hours));

ALTER TABLE teams ADD COLUMN quiet_hours TEXT CHECK (quiet_hours IS NULL OR json_valid(quiet_hours));
