-- Clicks of bots have the device 'bot'. They are part of a link's clicks and stand apart among its devices; countries,
-- rules and quarters count people.
DROP TRIGGER count_clicks;

-- Clicks and their counts are one write: a message that comes twice counts once. Of a link and minute, 100 clicks are
-- kept, so that a flood does not fill the database; all of them are counted.
CREATE TRIGGER count_clicks INSTEAD OF INSERT ON arriving_clicks
WHEN NOT EXISTS (SELECT 1 FROM link_clicks
    WHERE link_id = NEW.link_id AND at = NEW.at AND message = NEW.message)
  AND NOT EXISTS (SELECT 1 FROM counted_messages
    WHERE at = NEW.at AND link_id = NEW.link_id AND message = NEW.message)
BEGIN
  UPDATE short_links SET clicks = clicks + NEW.count WHERE id = NEW.link_id;
  INSERT INTO link_days (link_id, day, clicks, countries, devices, rules, quarters, minute,
    minute_clicks, counted_only)
  SELECT NEW.link_id, NEW.at / 86400000, NEW.count,
    (SELECT json_group_object(name, n) FROM (
      SELECT coalesce(value ->> 1, '') AS name, count(*) AS n FROM json_each(NEW.clicks)
      WHERE value ->> 2 <> 'bot' GROUP BY name)),
    (SELECT json_group_object(name, n) FROM (
      SELECT value ->> 2 AS name, count(*) AS n FROM json_each(NEW.clicks) GROUP BY name)),
    (SELECT json_group_object(name, n) FROM (
      SELECT value ->> 3 AS name, count(*) AS n FROM json_each(NEW.clicks)
      WHERE value ->> 3 IS NOT NULL AND value ->> 2 <> 'bot' GROUP BY name)),
    json_object(CAST(NEW.at / 900000 % 96 AS TEXT),
      (SELECT count(*) FROM json_each(NEW.clicks) WHERE value ->> 2 <> 'bot')),
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
    rules = (SELECT json_group_object(name, n) FROM (
      SELECT key AS name, sum(value) AS n FROM (
        SELECT key, value FROM json_each(link_days.rules)
        UNION ALL SELECT key, value FROM json_each(excluded.rules)) GROUP BY key)),
    quarters = json_set(link_days.quarters, '$."' || (NEW.at / 900000 % 96) || '"',
      coalesce(link_days.quarters ->> ('$."' || (NEW.at / 900000 % 96) || '"'), 0)
      + (excluded.quarters ->> ('$."' || (NEW.at / 900000 % 96) || '"'))),
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
