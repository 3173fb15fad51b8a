-- The record collection of the demo store: artists, their covers, and the tracks behind each cover.

CREATE TABLE artist (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (name <> '')
) STRICT;

CREATE TABLE cover (
  id INTEGER PRIMARY KEY,
  artist_id INTEGER NOT NULL REFERENCES artist (id) ON DELETE CASCADE,
  label TEXT NOT NULL CHECK (label <> ''), -- the album's title
  release_year INTEGER CHECK (release_year BETWEEN 1000 AND 9999), -- NULL: not known
  position TEXT NOT NULL DEFAULT 'n0', -- the user's order among an artist's covers: a Position
  small_image_url TEXT NOT NULL,
  large_image_url TEXT NOT NULL
) STRICT;

CREATE TABLE track (
  id INTEGER PRIMARY KEY,
  cover_id INTEGER NOT NULL REFERENCES cover (id) ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number > 0),
  name TEXT NOT NULL CHECK (name <> ''),
  milliseconds INTEGER NOT NULL CHECK (milliseconds > 0),
  rating INTEGER CHECK (rating BETWEEN 1 AND 5) -- NULL: not rated
) STRICT;

-- Each index gives one sectioned order without a sort. Those that start with a parent's key also
-- find its rows when it is deleted. None is unique: two rows that swap places share one for a
-- moment.
CREATE INDEX cover_artist_position ON cover (artist_id, position);
CREATE INDEX cover_artist_label ON cover (artist_id, label);
CREATE INDEX cover_artist_year ON cover (artist_id, release_year);
CREATE INDEX cover_year_label ON cover (release_year, label);
CREATE INDEX track_cover_number ON track (cover_id, number);

-- Covers as a list shows them. It carries the key of both tables, so that a change in either finds
-- its rows.
CREATE VIEW cover_list AS
SELECT
  cover.id,
  artist.name AS artist,
  cover.label,
  cover.release_year,
  cover.position,
  cover.small_image_url,
  cover.large_image_url,
  cover.artist_id
FROM cover
JOIN artist ON artist.id = cover.artist_id;
