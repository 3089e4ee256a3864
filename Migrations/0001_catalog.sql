-- The index of everything that was recorded: a cache of the manifests on disk, which can always be rebuilt from them.
--
-- Conventions. Every table has an integer `key` for joins (small in the indexes, stable under VACUUM, and what a
-- full-text table needs); `id` is the ULID that the outside sees, as 16 bytes, whose order is the ULID's. Times are
-- milliseconds since 1970, positions and lengths samples at 48 kHz. Words such as a take's state are not limited by
-- CHECK: a new word must not cost a new table, and the reader checks them.

-- "JAMJ": tells a catalogue from any other SQLite file.
PRAGMA application_id = 0x4A414D4A;

CREATE TABLE rooms (
  key INTEGER PRIMARY KEY,
  -- In Unicode normal form C, so that equal names have equal bytes.
  name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE sessions (
  key INTEGER PRIMARY KEY,
  id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
  room INTEGER NOT NULL REFERENCES rooms (key),
  started_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;

CREATE INDEX sessions_by_start ON sessions (started_at, id);
CREATE INDEX sessions_by_room ON sessions (room, started_at, id);

CREATE TABLE songs (
  key INTEGER PRIMARY KEY,
  id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
  title TEXT NOT NULL CHECK (title <> ''),
  -- The title without case, by which a song is found. Not unique: the manifests of two data folders that become one
  -- may know two songs of one title, and both keep their identifiers.
  folded_title TEXT NOT NULL
) STRICT;

CREATE INDEX songs_by_title ON songs (folded_title, id);

CREATE TABLE participants (
  key INTEGER PRIMARY KEY,
  id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
  -- The name they used last; a track keeps the one of its day.
  name TEXT NOT NULL
) STRICT;

CREATE TABLE takes (
  key INTEGER PRIMARY KEY,
  id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
  -- Counts within room and song. Not unique: see songs.
  number INTEGER NOT NULL CHECK (number BETWEEN 1 AND 1000000000),
  state TEXT NOT NULL,
  room INTEGER NOT NULL REFERENCES rooms (key),
  session INTEGER NOT NULL REFERENCES sessions (key),
  song INTEGER REFERENCES songs (key),
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  length INTEGER CHECK (length >= 0),
  track_count INTEGER NOT NULL CHECK (track_count >= 0),
  -- Relative to the data folder. Unique: two takes must never write into one folder.
  folder TEXT NOT NULL UNIQUE
) STRICT;

CREATE INDEX takes_by_number ON takes (room, song, number);

-- One index for each combination of filters: a page is a walk along exactly its own rows, newest first, however many
-- others there are. Takes are written a few times an hour and read all day, so that the writes may pay for it.
CREATE INDEX takes_by_start ON takes (started_at, id);
CREATE INDEX takes_by_room ON takes (room, started_at, id);
CREATE INDEX takes_by_song ON takes (song, started_at, id);
CREATE INDEX takes_by_state ON takes (state, started_at, id);
CREATE INDEX takes_by_room_song ON takes (room, song, started_at, id);
CREATE INDEX takes_by_room_state ON takes (room, state, started_at, id);
CREATE INDEX takes_by_song_state ON takes (song, state, started_at, id);
CREATE INDEX takes_by_room_song_state ON takes (room, song, state, started_at, id);
CREATE INDEX takes_by_session ON takes (session, started_at, id);

CREATE TABLE tracks (
  key INTEGER PRIMARY KEY,
  id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
  take INTEGER NOT NULL REFERENCES takes (key) ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number >= 1),
  participant INTEGER NOT NULL REFERENCES participants (key),
  -- What the participant was called in this take.
  name TEXT NOT NULL,
  part TEXT,
  channels INTEGER NOT NULL CHECK (channels IN (1, 2)),
  length INTEGER CHECK (length >= 0),
  file TEXT,
  -- dBFS, null for silence; LUFS, null where it cannot be told.
  peak REAL,
  loudness REAL,
  -- The alignment report: ppm, seconds, milliseconds, counts. There is none where the basis is null.
  alignment_basis TEXT,
  alignment_drift REAL,
  alignment_offset REAL,
  alignment_error_bound REAL,
  alignment_expected_packets INTEGER,
  alignment_recovered_packets INTEGER,
  alignment_lost_packets INTEGER,
  alignment_concealed_samples INTEGER,
  UNIQUE (take, number)
) STRICT;

CREATE INDEX tracks_by_participant ON tracks (participant, take);

CREATE TABLE gaps (
  track INTEGER NOT NULL REFERENCES tracks (key) ON DELETE CASCADE,
  -- Place in the track's list, from 0.
  number INTEGER NOT NULL,
  start INTEGER NOT NULL,
  length INTEGER NOT NULL,
  cause TEXT NOT NULL,
  is_concealed INTEGER NOT NULL CHECK (is_concealed IN (0, 1)),
  PRIMARY KEY (track, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE cues (
  key INTEGER PRIMARY KEY,
  id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
  take INTEGER NOT NULL REFERENCES takes (key) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  text TEXT NOT NULL,
  -- The identifier of a participant, who may be a listener without a track and so without a row.
  author BLOB CHECK (length(author) = 16)
) STRICT;

CREATE INDEX cues_by_take ON cues (take, position, id);
