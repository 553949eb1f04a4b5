-- When the team's plan ends.
ALTER TABLE teams ADD COLUMN plan_until INTEGER;
CREATE INDEX teams_plan_until ON teams (plan_until) WHERE plan_until IS NOT NULL;
