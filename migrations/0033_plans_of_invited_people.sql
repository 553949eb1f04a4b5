-- The plan of a team that has none of its own, for teams of people who came by an invite. Null: the plan of this
-- instance (DEFAULT_PLAN), as teams had until now.
ALTER TABLE teams ADD COLUMN base_plan TEXT;
