-- JSON of what other posts are compared with: the hash of the text's letters and digits, and whom it
-- mentions. Null: the post was stored before that was kept.
ALTER TABLE uploads ADD COLUMN text_digest TEXT;

-- 1: it begins like an image, and ends or breaks where no decoder can follow.
ALTER TABLE media ADD COLUMN is_damaged INTEGER NOT NULL DEFAULT 0;
