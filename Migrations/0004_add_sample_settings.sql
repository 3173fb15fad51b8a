INSERT INTO setting (key, section, position, label, kind, value) VALUES
  ('appearance.theme', 'Appearance', 1, 'Theme', 'text', 'System'),
  ('appearance.index', 'Appearance', 2, 'Show the index at the side', 'switch', 1),
  ('appearance.thumbnail', 'Appearance', 3, 'Size of the cover images', 'number', 64),
  ('library.name', 'Library', 1, 'Name of the library', 'text', 'Records by the window'),
  ('library.articles', 'Library', 2, 'Skip “The” when sorting', 'switch', 0),
  ('library.recent', 'Library', 3, 'Days a record counts as new', 'number', 30),
  ('playback.output', 'Playback', 1, 'Output', 'text', 'Living room'),
  ('playback.gapless', 'Playback', 2, 'Play without gaps', 'switch', 1),
  ('playback.crossfade', 'Playback', 3, 'Crossfade in seconds', 'number', 2.5),
  ('sync.server', 'Sync', 1, 'Server', 'text', 'https://example.com/sync'),
  ('sync.enabled', 'Sync', 2, 'Keep in sync', 'switch', 0),
  ('sync.interval', 'Sync', 3, 'Minutes between two looks', 'number', 15);
