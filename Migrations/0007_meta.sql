-- What a musician's app said of them on joining; null if it said nothing. Older manifests do not have it, so that there is
-- nothing to fill in.
ALTER TABLE tracks ADD COLUMN meta TEXT;
