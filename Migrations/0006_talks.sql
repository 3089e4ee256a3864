-- Where a musician talked to the others without being recorded. Older manifests do not say it, so that there is nothing to
-- fill in.

-- A JSON array of {"start", "end"} in samples; null where nothing is said of it.
ALTER TABLE tracks ADD COLUMN alignment_talks TEXT;
