-- How large the database was, one row a day: by these the instance says when it will be full.
CREATE TABLE database_sizes (
  -- In UTC days since 1970.
  day INTEGER PRIMARY KEY,
  size_bytes INTEGER NOT NULL,
  -- Percent of the limit of which the owner had a notice by this day; 0 for none.
  level INTEGER NOT NULL CHECK (level BETWEEN 0 AND 100)
) STRICT;
