ALTER TABLE link_days ADD COLUMN counted_only INTEGER NOT NULL DEFAULT 0;
-- The newest minute of the day that had a click (minutes since 1970), and the clicks in it so far.
ALTER TABLE link_days ADD COLUMN minute INTEGER NOT NULL DEFAULT 0;
ALTER TABLE link_days ADD COLUMN minute_clicks INTEGER NOT NULL DEFAULT 0;

-- The messages whose clicks of a link were counted and not kept: one that comes again finds its row.
CREATE TABLE counted_messages (
  -- When the first of the clicks was.
  at INTEGER NOT NULL,
  link_id INTEGER NOT NULL,
  message TEXT NOT NULL,
  PRIMARY KEY (at, link_id, message)
) STRICT, WITHOUT ROWID;

-- Clicks of one minute of a link are stored by way of this view alone.
DROP TRIGGER count_clicks;
CREATE VIEW arriving_clicks AS SELECT link_id, at, message, count, clicks FROM link_clicks;

-- Clicks and their counts are one write: a message that comes twice counts once. Of a link and minute, 100 clicks are
-- kept, so that a flood does not fill the database; all of them are counted.
CREATE TRIGGER count_clicks INSTEAD OF INSERT ON arriving_clicks
WHEN NOT EXISTS (SELECT 1 FROM link_clicks
    WHERE link_id = NEW.link_id AND at = NEW.at AND message = NEW.message)
  AND NOT EXISTS (SELECT 1 FROM counted_messages
    WHERE at = NEW.at AND link_id = NEW.link_id AND message = NEW.message)
BEGIN
  UPDATE short_links SET clicks = clicks + NEW.count WHERE id = NEW.link_id;
  INSERT INTO link_days (link_id, day, clicks, countries, devices, minute, minute_clicks, counted_only)
  SELECT NEW.link_id, NEW.at / 86400000, NEW.count,
    (SELECT json_group_object(name, n) FROM (
      SELECT coalesce(value ->> 1, '') AS name, count(*) AS n FROM json_each(NEW.clicks) GROUP BY name)),
    (SELECT json_group_object(name, n) FROM (
      SELECT value ->> 2 AS name, count(*) AS n FROM json_each(NEW.clicks) GROUP BY name)),
    NEW.at / 60000, NEW.count, max(0, NEW.count - 100)
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
        UNION ALL SELECT key, value FROM json_each(excluded.devices)) GROUP BY key)),
    counted_only = counted_only + max(0, min(excluded.clicks,
      iif(excluded.minute > minute, 0, minute_clicks) + excluded.clicks - 100)),
    minute_clicks = iif(excluded.minute > minute, 0, minute_clicks) + excluded.clicks,
    minute = max(minute, excluded.minute);
  INSERT INTO link_clicks (link_id, at, message, count, clicks)
  SELECT NEW.link_id, NEW.at, NEW.message, count(*), json_group_array(json(value)) FROM (
    SELECT c.value FROM link_days d CROSS JOIN json_each(NEW.clicks) c
    WHERE d.link_id = NEW.link_id AND d.day = NEW.at / 86400000
      AND c.key < 100 - (d.minute_clicks - NEW.count))
  HAVING count(*) > 0;
  INSERT INTO counted_messages (at, link_id, message)
  SELECT NEW.at, NEW.link_id, NEW.message FROM link_days
  WHERE link_id = NEW.link_id AND day = NEW.at / 86400000 AND minute_clicks - NEW.count >= 100;
END;
