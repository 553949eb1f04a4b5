-- The timeline of an upload. Its row has the time at which it was published: that event, which most uploads
-- have and no other, costs no entry.
CREATE INDEX events_by_upload ON events (team_id, data ->> 'uploadId')
  WHERE data ->> 'uploadId' IS NOT NULL AND name <> 'upload.completed';
