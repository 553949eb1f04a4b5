-- Pool items that return to the queue after each publication, with texts that take turns.
ALTER TABLE pool_items ADD COLUMN repeat_days INTEGER;
ALTER TABLE pool_items ADD COLUMN repeat_times INTEGER;
ALTER TABLE pool_items ADD COLUMN variants TEXT CHECK (variants IS NULL OR json_valid(variants));
ALTER TABLE pool_items ADD COLUMN dispatches INTEGER NOT NULL DEFAULT 0;
-- Turns in a row whose posts all failed.
ALTER TABLE pool_items ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
-- Local time of the last turn that made posts, such as 2026-12-01T09:30.
ALTER TABLE pool_items ADD COLUMN last_local TEXT;
-- Accounts that this turn leaves out, with the reasons. Null until that is decided.
ALTER TABLE pool_items ADD COLUMN excluded TEXT CHECK (excluded IS NULL OR json_valid(excluded));

-- The posts of an item that may be published again.
ALTER TABLE pool_firings ADD COLUMN first_upload_id INTEGER;
ALTER TABLE pool_firings ADD COLUMN last_upload_id INTEGER;

CREATE INDEX pool_items_repeating ON pool_items (pool_id, state, position)
  WHERE repeat_days IS NOT NULL;

DROP TRIGGER end_pool_item;
CREATE TRIGGER end_pool_item AFTER INSERT ON events
WHEN NEW.name IN ('upload.completed', 'upload.failed', 'upload.cancelled') BEGIN
  UPDATE pool_items SET state = CASE
    WHEN NEW.name = 'upload.completed' OR EXISTS (SELECT 1 FROM uploads u
      WHERE u.id BETWEEN first_upload_id AND last_upload_id AND u.status = 'completed') THEN 'dispatched'
    ELSE 'skipped' END
  WHERE id = (SELECT id FROM pool_items WHERE first_upload_id <= NEW.data ->> 'uploadId'
      ORDER BY first_upload_id DESC LIMIT 1)
    AND last_upload_id >= NEW.data ->> 'uploadId'
    AND ((state = 'posting' AND (repeat_days IS NULL OR excluded IS NOT NULL))
      OR (NEW.name = 'upload.completed' AND (state = 'skipped' OR (state = 'queued' AND failures > 0))))
    AND (NEW.name = 'upload.completed' OR NOT EXISTS (SELECT 1 FROM uploads u
      WHERE u.id BETWEEN first_upload_id AND last_upload_id AND u.id <> NEW.data ->> 'uploadId'
        AND u.deleted_at IS NULL AND u.status NOT IN ('completed', 'failed')));
END;

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
        WHERE pool_id = NEW.pool_id AND state = 'queued' AND repeat_days IS NOT NULL), 0))
  WHERE id = NEW.id AND dispatches < repeat_times AND failures < 3
    AND EXISTS (SELECT 1 FROM pools WHERE id = NEW.pool_id AND deleted_at IS NULL);
  DELETE FROM pool_files WHERE team_id = NEW.team_id AND item_id = NEW.id
    AND sha256 IN (SELECT value ->> 'sha256' FROM json_each(NEW.media))
    AND EXISTS (SELECT 1 FROM pool_items WHERE id = NEW.id AND state <> 'queued');
END;
