DROP VIEW cover_list;
DROP TABLE track;
DROP TABLE cover;
DROP TABLE artist;
