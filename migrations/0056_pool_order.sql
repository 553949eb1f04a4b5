-- Items of a pool may be moved within its queue: the first in line is the one with the least position, not the oldest.
CREATE INDEX pool_items_once ON pool_items (pool_id, position)
  WHERE state = 'queued' AND repeat_days IS NULL;

DROP TRIGGER return_pool_item;
CREATE TRIGGER return_pool_item AFTER UPDATE OF state ON pool_items
WHEN NEW.repeat_days IS NOT NULL AND OLD.state IN ('queued', 'posting')
  AND NEW.state IN ('dispatched', 'skipped') BEGIN
  UPDATE pool_items SET excluded = NULL, dispatches = dispatches + (NEW.state = 'dispatched'),
    failures = iif(NEW.state = 'dispatched', 0, failures + (NEW.first_upload_id IS NOT NULL)),
    last_local = iif(NEW.first_upload_id IS NULL, NULL, last_local)
  WHERE id = NEW.id;
  UPDATE pool_items SET state = 'queued', position = 1 + max(
      coalesce((SELECT position FROM pool_items WHERE pool_id = NEW.pool_id ORDER BY id DESC LIMIT 1), 0),
      coalesce((SELECT MAX(position) FROM pool_items
        WHERE pool_id = NEW.pool_id AND state = 'queued' AND repeat_days IS NULL), 0),
      coalesce((SELECT MAX(position) FROM pool_items
        WHERE pool_id = NEW.pool_id AND state = 'queued' AND repeat_days IS NOT NULL), 0))
  WHERE id = NEW.id AND dispatches < repeat_times AND failures < 3
    AND EXISTS (SELECT 1 FROM pools WHERE id = NEW.pool_id AND deleted_at IS NULL);
  DELETE FROM pool_files WHERE team_id = NEW.team_id AND item_id = NEW.id
    AND sha256 IN (SELECT value ->> 'sha256' FROM json_each(NEW.media))
    AND EXISTS (SELECT 1 FROM pool_items WHERE id = NEW.id AND state <> 'queued');
END;
