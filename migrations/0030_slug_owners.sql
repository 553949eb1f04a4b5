-- The team that had a slug of the instance's own address first. A row outlives its link and its team: an address
-- that was printed never leads to what another team wants. A domain of a team needs none, for no other team's
-- links stand on it.
CREATE TABLE slug_owners (
  -- The slug as it is compared.
  slug_key TEXT PRIMARY KEY,
  team_id INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO slug_owners (slug_key, team_id)
SELECT slug_key, team_id FROM short_links WHERE domain_id = 0 AND slug_key IS NOT NULL;

-- A link and the claim to its slug are one write: nothing that stores a link can forget it.
CREATE TRIGGER own_new_slug AFTER INSERT ON short_links
WHEN NEW.domain_id = 0 AND NEW.slug_key IS NOT NULL BEGIN
  INSERT OR IGNORE INTO slug_owners (slug_key, team_id) VALUES (NEW.slug_key, NEW.team_id);
END;

CREATE TRIGGER own_changed_slug AFTER UPDATE OF domain_id, slug_key ON short_links
WHEN NEW.domain_id = 0 AND NEW.slug_key IS NOT NULL BEGIN
  INSERT OR IGNORE INTO slug_owners (slug_key, team_id) VALUES (NEW.slug_key, NEW.team_id);
END;
