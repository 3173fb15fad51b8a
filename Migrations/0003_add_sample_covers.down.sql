-- Takes the sample artists and covers away, and what hangs on them: ON DELETE CASCADE does not act
-- here, since a migration runs with foreign keys off.
DELETE FROM track WHERE cover_id IN (
  SELECT id FROM cover WHERE id BETWEEN 1 AND 41 OR artist_id BETWEEN 1 AND 15
);
DELETE FROM cover WHERE id BETWEEN 1 AND 41 OR artist_id BETWEEN 1 AND 15;
DELETE FROM artist WHERE id BETWEEN 1 AND 15;
