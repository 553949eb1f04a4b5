-- Files of posts that wait for approval are downloaded while they wait: those of the posts that wait already are due.
UPDATE uploads SET due_at = unixepoch() * 1000
WHERE status IN ('draft', 'pending_approval') AND deleted_at IS NULL
  AND (EXISTS (SELECT 1 FROM json_each(uploads.media) item
      WHERE item.value ->> 'url' IS NOT NULL AND item.value ->> 'isGone' IS NULL)
    OR settings ->> 'cover_url' IS NOT NULL OR settings ->> 'x_subtitles_url' IS NOT NULL);
