-- Rows, with a table for each month, made when the first row of the month comes. Rows without a sensible time (a wearable
-- of 1970) have a table of their own, so that absurd times make no tables.
CREATE TABLE IF NOT EXISTS hearth.rows (
  "time" timestamptz NOT NULL,
  ordinal bigint NOT NULL,
  ring int NOT NULL,
  -- hearth.wearers; null: no wearer, or hubs send no wearers.
  wearer int,
  trait int NOT NULL,
  -- µs that an interval lasts.
  lasts bigint,
  -- Ordinals directly before this one that are no rows: parts of it, or what the hub no longer had.
  before bigint,
  counted bigint,
  -- The number of a row that has one, exactly as the hub has it; rows of several have them in numbers.
  value numeric,
  numbers numeric[],
  data bytea,
  PRIMARY KEY (ring, ordinal, "time")
) PARTITION BY RANGE ("time");

CREATE TABLE IF NOT EXISTS hearth.rows_other PARTITION OF hearth.rows DEFAULT;

CREATE INDEX IF NOT EXISTS rows_time ON hearth.rows USING brin ("time") WITH (pages_per_range = 32);

-- Makes the table of a month, and moves its rows there from the table of other times. False for a time without a table:
-- before 2015, or more than two months ahead. Also false if a reading transaction has the lock, as all others would wait
-- behind this one. Rows of that month are in the table of other times until the next try.
CREATE OR REPLACE FUNCTION hearth.make_month(moment timestamptz) RETURNS boolean LANGUAGE plpgsql
-- Runs with the rights of the owner of the tables, which a sink need not be.
SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
  month timestamp := date_trunc('month', moment AT TIME ZONE 'UTC');
  since timestamptz := month AT TIME ZONE 'UTC';
  until timestamptz := (month + interval '1 month') AT TIME ZONE 'UTC';
  name text := to_char(month, '"rows_"YYYY_MM');
BEGIN
  IF since < '2015-01-01Z' OR since > now() + interval '2 months' THEN RETURN false; END IF;
  -- A single sink at a time.
  PERFORM pg_advisory_xact_lock(1752523876, 2);
  IF to_regclass('hearth.' || name) IS NOT NULL THEN RETURN true; END IF;
  EXECUTE format('CREATE TABLE hearth.%I (LIKE hearth.rows INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', name);
  EXECUTE format(
    'WITH moved AS (DELETE FROM hearth.rows_other WHERE "time" >= %L AND "time" < %L RETURNING *) '
    'INSERT INTO hearth.%I SELECT * FROM moved', since, until, name);
  EXECUTE format(
    'ALTER TABLE hearth.rows ATTACH PARTITION hearth.%I FOR VALUES FROM (%L) TO (%L)', name, since, until);
  RETURN true;
EXCEPTION WHEN lock_not_available THEN RETURN false;
END $$;

-- Whether the table for rows of a time exists: rows that were dropped with their month are not missing. A month without
-- a row of any hub has no table either.
CREATE OR REPLACE FUNCTION hearth.has_month(moment timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
SELECT moment < '2015-01-01Z' OR moment > now() + interval '2 months'
  OR to_regclass('hearth.' || to_char(moment AT TIME ZONE 'UTC', '"rows_"YYYY_MM')) IS NOT NULL $$;
