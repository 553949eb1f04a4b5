-- Domains on which short links stand.
CREATE TABLE domains (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  team_id INTEGER NOT NULL,
  user_id INTEGER NOT NULL,
  -- It was added for the team by name.
  is_shared INTEGER NOT NULL,
  -- In lower case, as DNS has it.
  host TEXT NOT NULL,
  -- Its id at the edge; NULL where it is checked by DNS alone.
  edge_hostname_id TEXT,
  txt_name TEXT NOT NULL,
  txt_value TEXT NOT NULL,
  cname_target TEXT NOT NULL,
  verified_at INTEGER,
  -- When the tick looks at it again: to verify it or, once it is deleted, to remove it from the edge.
  check_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;

CREATE UNIQUE INDEX domains_host ON domains (host) WHERE deleted_at IS NULL;
CREATE INDEX domains_of_team ON domains (team_id);
CREATE INDEX domains_to_check ON domains (check_at) WHERE check_at IS NOT NULL;

CREATE TABLE short_links (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  team_id INTEGER NOT NULL,
  -- 0: the instance's own address.
  domain_id INTEGER NOT NULL,
  slug TEXT NOT NULL,
  -- The slug as it is compared. A deleted link keeps it, until its team gives it to another.
  slug_key TEXT,
  destination TEXT NOT NULL,
  clicks INTEGER NOT NULL DEFAULT 0,
  is_active INTEGER NOT NULL DEFAULT 1,
  use_deeplink INTEGER NOT NULL,
  bot_protection INTEGER NOT NULL,
  safe_url TEXT,
  title TEXT,
  description TEXT,
  image_url TEXT,
  created_by INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER,
  -- JSON, the highest priority first. The last column: lists are read without it.
  rules TEXT NOT NULL CHECK (json_valid(rules))
) STRICT;

CREATE UNIQUE INDEX short_links_slug ON short_links (domain_id, slug_key) WHERE slug_key IS NOT NULL;
CREATE INDEX short_links_of_team ON short_links (team_id, deleted_at, id);

-- The clicks of a link that one message brought. A message that comes again finds its row.
CREATE TABLE link_clicks (
  link_id INTEGER NOT NULL,
  -- When the first of them was.
  at INTEGER NOT NULL,
  message TEXT NOT NULL,
  count INTEGER NOT NULL,
  -- JSON: [ms, country or null, device] of each.
  clicks TEXT NOT NULL CHECK (json_valid(clicks)),
  PRIMARY KEY (link_id, at, message)
) STRICT, WITHOUT ROWID;

-- The clicks of a link on a day (days since 1970, UTC): JSON objects count them by country and by device.
CREATE TABLE link_days (
  link_id INTEGER NOT NULL,
  day INTEGER NOT NULL,
  clicks INTEGER NOT NULL,
  countries TEXT NOT NULL,
  devices TEXT NOT NULL,
  PRIMARY KEY (link_id, day)
) STRICT, WITHOUT ROWID;

-- Clicks and their counts are one write: a message that comes twice counts once.
CREATE TRIGGER count_clicks AFTER INSERT ON link_clicks BEGIN
  UPDATE short_links SET clicks = clicks + NEW.count WHERE id = NEW.link_id;
  INSERT INTO link_days (link_id, day, clicks, countries, devices)
  SELECT NEW.link_id, day, n,
    (SELECT json_group_object(name, n) FROM (
      SELECT coalesce(value ->> 1, '') AS name, count(*) AS n FROM json_each(NEW.clicks)
      WHERE (value ->> 0) / 86400000 = day GROUP BY name)),
    (SELECT json_group_object(name, n) FROM (
      SELECT value ->> 2 AS name, count(*) AS n FROM json_each(NEW.clicks)
      WHERE (value ->> 0) / 86400000 = day GROUP BY name))
  FROM (SELECT (value ->> 0) / 86400000 AS day, count(*) AS n FROM json_each(NEW.clicks) GROUP BY day)
  WHERE TRUE
  ON CONFLICT (link_id, day) DO UPDATE SET
    clicks = clicks + excluded.clicks,
    countries = (SELECT json_group_object(name, n) FROM (
      SELECT key AS name, sum(value) AS n FROM (
        SELECT key, value FROM json_each(link_days.countries)
        UNION ALL SELECT key, value FROM json_each(excluded.countries)) GROUP BY key)),
    devices = (SELECT json_group_object(name, n) FROM (
      SELECT key AS name, sum(value) AS n FROM (
        SELECT key, value FROM json_each(link_days.devices)
        UNION ALL SELECT key, value FROM json_each(excluded.devices)) GROUP BY key));
END;

-- Domains that came with a plan of former times.
ALTER TABLE teams ADD COLUMN has_legacy_domains INTEGER NOT NULL DEFAULT 0;
