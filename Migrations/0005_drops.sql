-- Where a sender could have left out sound unnoticed. Older manifests do not say it, so that there is nothing to fill in.

-- A JSON array of {"start", "end"} in samples; null where nothing is said of it.
ALTER TABLE tracks ADD COLUMN alignment_unseen_drops TEXT;
