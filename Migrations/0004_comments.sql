-- Comments of visitors who came by a share's link: cues with a name that proves nothing. Older files have none.
ALTER TABLE cues ADD COLUMN share BLOB CHECK (length(share) = 16);
ALTER TABLE cues ADD COLUMN commenter TEXT;
ALTER TABLE cues ADD COLUMN is_hidden INTEGER NOT NULL DEFAULT 0;
