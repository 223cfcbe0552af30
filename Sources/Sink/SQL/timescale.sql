-- Rows, if TimescaleDB is installed. TimescaleDB makes the tables of months itself.
CREATE TABLE IF NOT EXISTS hearth.rows (
  "time" timestamptz NOT NULL,
  ordinal bigint NOT NULL,
  ring int NOT NULL,
  wearer int,
  trait int NOT NULL,
  lasts bigint,
  before bigint,
  counted bigint,
  value numeric,
  numbers numeric[],
  data bytea,
  PRIMARY KEY (ring, ordinal, "time"));

SELECT create_hypertable(
  'hearth.rows', 'time', chunk_time_interval => interval '1 month', if_not_exists => true,
  create_default_indexes => false);

CREATE INDEX IF NOT EXISTS rows_time ON hearth.rows USING brin ("time") WITH (pages_per_range = 32);

CREATE OR REPLACE FUNCTION hearth.make_month(moment timestamptz) RETURNS boolean LANGUAGE sql AS $$ SELECT true $$;

CREATE OR REPLACE FUNCTION hearth.has_month(moment timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
SELECT coalesce(moment >= min(range_start), true) FROM timescaledb_information.chunks
WHERE hypertable_schema = 'hearth' AND hypertable_name = 'rows' $$;
