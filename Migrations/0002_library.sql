-- The song book: what people add to the recordings, and search over all of it.
--
-- Lists of takes that are kept (not in the trash) walk partial indexes, so that a full trash costs them nothing. Filters
-- that no index has are words of the full-text index (see `take_words`), whose rows come in the order of `place`.

ALTER TABLE songs ADD COLUMN composers TEXT;      -- one a line; null for none
ALTER TABLE songs ADD COLUMN musical_key TEXT;
ALTER TABLE songs ADD COLUMN tempo TEXT;          -- a line per change: samples, beats per minute, beats per bar, unit
ALTER TABLE songs ADD COLUMN notes TEXT;
ALTER TABLE songs ADD COLUMN revision INTEGER NOT NULL DEFAULT 1 CHECK (revision >= 1);
-- 1 where the song has a file of its own, 0 where only takes tell of it: then it goes with the last of them.
ALTER TABLE songs ADD COLUMN is_filed INTEGER NOT NULL DEFAULT 0 CHECK (is_filed IN (0, 1));

-- When the name was used for which there is `name`: the latest counts, in whatever order takes are stored.
ALTER TABLE participants ADD COLUMN named_at INTEGER NOT NULL DEFAULT 0;
-- The name that an edit gave, null for none.
ALTER TABLE participants ADD COLUMN given_name TEXT;
-- The name by which people are sorted, without case.
ALTER TABLE participants ADD COLUMN folded_name TEXT NOT NULL DEFAULT '';
-- The person whom people say that this is.
ALTER TABLE participants ADD COLUMN merged_into INTEGER REFERENCES participants (key);
ALTER TABLE participants ADD COLUMN revision INTEGER NOT NULL DEFAULT 1 CHECK (revision >= 1);

CREATE INDEX people_by_name ON participants (folded_name, id) WHERE merged_into IS NULL;
CREATE INDEX participants_by_person ON participants (merged_into, id) WHERE merged_into IS NOT NULL;

-- Every name that a participant used in a take.
CREATE TABLE participant_names (
  participant INTEGER NOT NULL REFERENCES participants (key) ON DELETE CASCADE,
  name TEXT NOT NULL,
  PRIMARY KEY (participant, name)
) STRICT, WITHOUT ROWID;
INSERT INTO participant_names SELECT DISTINCT participant, name FROM tracks;

ALTER TABLE takes ADD COLUMN title TEXT;
ALTER TABLE takes ADD COLUMN rating INTEGER NOT NULL DEFAULT 0 CHECK (rating BETWEEN 0 AND 5);  -- 0 for none
ALTER TABLE takes ADD COLUMN is_favourite INTEGER NOT NULL DEFAULT 0 CHECK (is_favourite IN (0, 1));
ALTER TABLE takes ADD COLUMN notes TEXT;
ALTER TABLE takes ADD COLUMN tags TEXT;           -- one a line; null for none
ALTER TABLE takes ADD COLUMN loudness REAL;       -- LUFS of the mix
ALTER TABLE takes ADD COLUMN deleted_at INTEGER;
ALTER TABLE takes ADD COLUMN revision INTEGER NOT NULL DEFAULT 1 CHECK (revision >= 1);
-- The row of the full-text index: started_at and a number that keeps takes of one millisecond apart.
ALTER TABLE takes ADD COLUMN place INTEGER;
-- A length for every take, by which it is sorted.
ALTER TABLE takes ADD COLUMN duration INTEGER GENERATED ALWAYS AS (coalesce(length, 0)) VIRTUAL;

CREATE UNIQUE INDEX takes_by_place ON takes (place);
-- For foreign keys, and for what a renamed song changes.
CREATE INDEX takes_of_song ON takes (song);

DROP INDEX takes_by_start;
DROP INDEX takes_by_room;
DROP INDEX takes_by_song;
DROP INDEX takes_by_state;
DROP INDEX takes_by_room_song;
DROP INDEX takes_by_room_state;
DROP INDEX takes_by_song_state;
DROP INDEX takes_by_room_song_state;
CREATE INDEX takes_by_start ON takes (started_at, id) WHERE deleted_at IS NULL;
CREATE INDEX takes_by_room ON takes (room, started_at, id) WHERE deleted_at IS NULL;
CREATE INDEX takes_by_song ON takes (song, started_at, id) WHERE deleted_at IS NULL;
CREATE INDEX takes_by_state ON takes (state, started_at, id) WHERE deleted_at IS NULL;
CREATE INDEX takes_by_room_song ON takes (room, song, started_at, id) WHERE deleted_at IS NULL;
CREATE INDEX takes_by_room_state ON takes (room, state, started_at, id) WHERE deleted_at IS NULL;
CREATE INDEX takes_by_song_state ON takes (song, state, started_at, id) WHERE deleted_at IS NULL;
CREATE INDEX takes_by_room_song_state ON takes (room, song, state, started_at, id) WHERE deleted_at IS NULL;
CREATE INDEX takes_in_trash ON takes (started_at, id) WHERE deleted_at IS NOT NULL;

-- The other orders of the lists that offer them.
CREATE INDEX takes_by_rating ON takes (rating, id) WHERE deleted_at IS NULL;
CREATE INDEX takes_by_room_rating ON takes (room, rating, id) WHERE deleted_at IS NULL;
CREATE INDEX takes_by_song_rating ON takes (song, rating, id) WHERE deleted_at IS NULL;
CREATE INDEX takes_by_duration ON takes (duration, id) WHERE deleted_at IS NULL;
CREATE INDEX takes_by_room_duration ON takes (room, duration, id) WHERE deleted_at IS NULL;
CREATE INDEX takes_by_song_duration ON takes (song, duration, id) WHERE deleted_at IS NULL;

-- Tags in any case are one; takes keep the spelling.
CREATE TABLE tags (
  key INTEGER PRIMARY KEY,
  folded TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE files (
  take INTEGER NOT NULL REFERENCES takes (key) ON DELETE CASCADE,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  -- The identifier of a track.
  track BLOB CHECK (length(track) = 16),
  size INTEGER NOT NULL,
  digest_method TEXT,
  digest TEXT,
  PRIMARY KEY (take, name)
) STRICT, WITHOUT ROWID;

-- Words of a take, and its filters as words with a low line before them (which no word of people has: `SearchWords`).
-- A row's number is `takes.place`, so that matches come in the order of time and a page ends as soon as it is full.
-- The ascii tokenizer leaves everything beyond ASCII as it is: words are folded before they come here.
-- Beginnings of every length that a word has (`SearchWords.maximumLength`) have lists of their own, so that a page is
-- read from the end of one list however many words begin so. It makes the words' tables a fifth larger.
CREATE VIRTUAL TABLE take_words USING fts5 (
  words, tokenize = "ascii tokenchars '_'", prefix = '1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31', detail = none, columnsize = 0);
-- The same for takes in the trash, so that a full one costs the others nothing.
CREATE VIRTUAL TABLE trash_words USING fts5 (
  words, tokenize = "ascii tokenchars '_'", prefix = '1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31', detail = none, columnsize = 0);
CREATE VIRTUAL TABLE song_words USING fts5 (
  words, tokenize = "ascii tokenchars '_'", prefix = '1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31', detail = none, columnsize = 0);
CREATE VIRTUAL TABLE person_words USING fts5 (
  words, tokenize = "ascii tokenchars '_'", prefix = '1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31', detail = none, columnsize = 0);

-- Has a row as long as the index lacks something of what is on the disk: from its making until it was filled, also when
-- the process was killed in between.
CREATE TABLE unfilled (since_schema INTEGER NOT NULL) STRICT;
INSERT INTO unfilled VALUES (2);
