-- Settings of three kinds, each with a value of its own type: a text, a number, or the 0 or 1 of a
-- switch. The key names a setting for good, the label is what a person reads.

CREATE TABLE setting (
  key TEXT NOT NULL PRIMARY KEY CHECK (key <> ''),
  section TEXT NOT NULL, -- the group it is shown in
  position INTEGER NOT NULL, -- its place in the section
  label TEXT NOT NULL CHECK (label <> ''),
  kind TEXT NOT NULL CHECK (kind IN ('text', 'number', 'switch')),
  value ANY NOT NULL,
  CONSTRAINT value_is_of_its_kind CHECK (
    CASE kind
      WHEN 'text' THEN typeof(value) = 'text'
      WHEN 'number' THEN typeof(value) IN ('integer', 'real')
      WHEN 'switch' THEN typeof(value) = 'integer' AND value IN (0, 1)
    END
  )
) STRICT, WITHOUT ROWID;

CREATE INDEX setting_section_position ON setting (section, position);
