-- Tables of a sink. A row is named by (store, enrolment, series, way, ordinal). The first four are stored once, in
-- hearth.rings, so that the key of a row is short. Applying this again has no effect.
CREATE SCHEMA IF NOT EXISTS hearth;

CREATE TABLE IF NOT EXISTS hearth.about (version int NOT NULL);
INSERT INTO hearth.about SELECT 2 WHERE NOT EXISTS (SELECT FROM hearth.about);

CREATE TABLE IF NOT EXISTS hearth.hubs (
  hub int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  grp text NOT NULL,
  name text NOT NULL,
  -- By the sink's clock: the last message that was not one kept by the broker.
  last_seen timestamptz,
  -- By the hub's clock: when the newest batch was sent.
  last_sent timestamptz,
  state text NOT NULL DEFAULT 'unknown' CHECK (state IN ('online', 'offline', 'dead', 'unknown')),
  born timestamptz,
  died timestamptz,
  birth bigint,
  status jsonb,
  UNIQUE (grp, name));

CREATE TABLE IF NOT EXISTS hearth.stores (
  store text PRIMARY KEY CHECK (store ~ '^[0-9a-f]{16}$'),
  hub int NOT NULL REFERENCES hearth.hubs);

-- Since version 5: the hub that an operator lets take the store over (hearth-sink adopt).
ALTER TABLE hearth.stores ADD COLUMN IF NOT EXISTS heir int REFERENCES hearth.hubs;

CREATE TABLE IF NOT EXISTS hearth.wearables (
  wearable int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  store text NOT NULL REFERENCES hearth.stores,
  enrolment bigint NOT NULL,
  name text NOT NULL,
  address text NOT NULL,
  UNIQUE (store, enrolment));

CREATE TABLE IF NOT EXISTS hearth.series (
  series int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE,
  unit text NOT NULL);

CREATE TABLE IF NOT EXISTS hearth.wearers (
  wearer int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE);

-- Properties that many rows share, beside wearable and series.
CREATE TABLE IF NOT EXISTS hearth.traits (
  trait int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  origin text NOT NULL,
  kind text NOT NULL,
  manual boolean NOT NULL,
  clock_unsure boolean NOT NULL,
  low_quality boolean NOT NULL,
  encoding bigint NOT NULL,
  period_ns bigint NOT NULL,
  record bigint NOT NULL,
  UNIQUE (origin, kind, manual, clock_unsure, low_quality, encoding, period_ns, record));

CREATE TABLE IF NOT EXISTS hearth.rings (
  ring int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  wearable int NOT NULL REFERENCES hearth.wearables,
  series int NOT NULL REFERENCES hearth.series,
  way text NOT NULL CHECK (way IN ('live', 'fetched')),
  UNIQUE (wearable, series, way));

-- Ordinals that a hub looked at and does not have: evicted, purged, damaged, or parts of the row behind them.
CREATE TABLE IF NOT EXISTS hearth.skips (
  ring int NOT NULL,
  first bigint NOT NULL,
  last bigint NOT NULL,
  PRIMARY KEY (ring, first, last),
  CHECK (first <= last));

-- Tables of later versions: a role that may use hearth.skips may use them too, so that a sink's role needs no new rights.
DO $$
DECLARE
  made text[] := '{}';
  name text;
  granted record;
BEGIN
  -- Since version 2: how far brokers acknowledged each ring to its hub, as the hub reports.
  IF to_regclass('hearth.heads') IS NULL THEN
    CREATE TABLE hearth.heads (
      ring int PRIMARY KEY,
      -- Ordinal and time of the oldest row that counts: the hub may have sent earlier ones elsewhere.
      first bigint NOT NULL,
      first_time timestamptz NOT NULL,
      -- The ordinal behind the newest row, and the time of the newest.
      next bigint NOT NULL,
      newest_time timestamptz NOT NULL,
      -- Time of the first such report: by the hub's clock, and by the database's.
      sent timestamptz NOT NULL,
      came timestamptz NOT NULL DEFAULT now(),
      CHECK (first >= 0 AND first < next));
    made := made || 'heads'::text;
  END IF;
  -- Since version 3: rows with times that the hub corrected after it had stored them. Kept, so that rows sent before that
  -- and arriving later are recognised.
  IF to_regclass('hearth.retimed') IS NULL THEN
    CREATE TABLE hearth.retimed (
      ring int NOT NULL,
      first bigint NOT NULL,
      last bigint NOT NULL,
      PRIMARY KEY (ring, first, last),
      CHECK (first <= last));
    made := made || 'retimed'::text;
  END IF;
  -- Since version 4: runs of ordinals that are known, so that no report walks through rows which were looked at before.
  IF to_regclass('hearth.stretches') IS NULL THEN
    CREATE TABLE hearth.stretches (
      ring int NOT NULL,
      first bigint NOT NULL,
      last bigint NOT NULL,
      PRIMARY KEY (ring, first, last),
      CHECK (first <= last));
    made := made || 'stretches'::text;
  END IF;
  -- Since version 5: hubs that sent rows of a store. What a broker keeps under the name that a hub had before counts.
  IF to_regclass('hearth.owners') IS NULL THEN
    CREATE TABLE hearth.owners (
      store text NOT NULL REFERENCES hearth.stores ON DELETE CASCADE,
      hub int NOT NULL REFERENCES hearth.hubs,
      since timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (store, hub));
    INSERT INTO hearth.owners (store, hub) SELECT stores.store, stores.hub FROM hearth.stores;
    made := made || 'owners'::text;
  END IF;
  FOR granted IN
    SELECT privilege_type AS kind, CASE WHEN grantee = 0 THEN 'PUBLIC' ELSE grantee::regrole::text END AS role
    FROM pg_class, aclexplode(relacl) WHERE oid = 'hearth.skips'::regclass AND grantee <> relowner
  LOOP
    FOREACH name IN ARRAY made LOOP
      EXECUTE format('GRANT %s ON hearth.%I TO %s', granted.kind, name, granted.role);
    END LOOP;
  END LOOP;
END $$;

-- When the newest rows of a hub came, by the database's clock.
ALTER TABLE hearth.hubs ADD COLUMN IF NOT EXISTS last_rows timestamptz;
-- Zone in which the hub's days begin, as the hub reports it.
ALTER TABLE hearth.hubs ADD COLUMN IF NOT EXISTS zone text NOT NULL DEFAULT 'UTC';

-- A zone by its name, if this database knows it; else another one.
CREATE OR REPLACE FUNCTION hearth.zone(name text, other text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF name IS NULL THEN RETURN other; END IF;
  PERFORM now() AT TIME ZONE name;
  RETURN name;
EXCEPTION WHEN invalid_parameter_value THEN RETURN other;
END $$;

-- Functions that had other columns in an older version.
DO $$
DECLARE
  older regprocedure;
BEGIN
  -- Since version 5 answers name the group of a hub too.
  FOR older IN
    SELECT oid::regprocedure FROM pg_proc
    WHERE pronamespace = 'hearth'::regnamespace AND 'grp' <> ALL (proargnames) AND proname IN (
      'gym_day', 'person_month', 'silent_wearables', 'coverage', 'volume', 'doubtful', 'wanderers', 'who_wore', 'curve',
      'gaps')
  LOOP
    EXECUTE format('DROP FUNCTION %s', older);
  END LOOP;
END $$;

-- Corrected wearers of wearables. Kept, so that rows that come later than their correction are corrected too.
CREATE TABLE IF NOT EXISTS hearth.corrections (
  wearable int NOT NULL,
  -- By the hub's clock, ms since 1970; the later one holds, and of one batch the later in it.
  sent bigint NOT NULL,
  place int NOT NULL,
  since timestamptz NOT NULL,
  until timestamptz NOT NULL,
  wearer int,
  PRIMARY KEY (wearable, sent, place));

-- Messages that are no batch. The oldest go when there are more than the settings say.
CREATE TABLE IF NOT EXISTS hearth.quarantine (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  came timestamptz NOT NULL DEFAULT now(),
  topic text NOT NULL,
  cause text NOT NULL,
  payload bytea NOT NULL);

-- Since version 5: why, by its code.
ALTER TABLE hearth.quarantine ADD COLUMN IF NOT EXISTS code text NOT NULL DEFAULT 'H9103';
