-- Who approved what approved_hash names: the team, by one of its people, or a client by a link.
ALTER TABLE uploads ADD COLUMN approved_by TEXT CHECK (approved_by IN ('team', 'client'));
ALTER TABLE uploads ADD COLUMN approver_id INTEGER;
