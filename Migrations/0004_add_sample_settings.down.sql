DELETE FROM setting WHERE key IN (
  'appearance.theme', 'appearance.index', 'appearance.thumbnail',
  'library.name', 'library.articles', 'library.recent',
  'playback.output', 'playback.gapless', 'playback.crossfade',
  'sync.server', 'sync.enabled', 'sync.interval'
);
