-- JSON {"from", "to", "timezone"}: the hours in which notices wait. Of a person, and of a team's chat.
ALTER TABLE users ADD COLUMN quiet_hours TEXT;

ALTER TABLE teams ADD COLUMN quiet_hours TEXT;
