-- How exactly a track lies, over time. Older manifests do not say it, so that there is nothing to fill in.

-- Why alignment_error_bound is unknown; null where it is known.
ALTER TABLE tracks ADD COLUMN alignment_unknown TEXT;

CREATE TABLE bounds (
  track INTEGER NOT NULL REFERENCES tracks (key) ON DELETE CASCADE,
  -- Place in the track's list, from 0.
  number INTEGER NOT NULL,
  -- Samples, and milliseconds; null where the bound is unknown.
  start INTEGER NOT NULL,
  "end" INTEGER NOT NULL,
  error_bound REAL,
  unknown TEXT,
  basis TEXT NOT NULL,
  PRIMARY KEY (track, number)
) STRICT, WITHOUT ROWID;
