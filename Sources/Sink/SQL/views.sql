-- Rows with the names of hub, wearable, series and wearer.
CREATE OR REPLACE VIEW hearth.samples AS
SELECT
  hubs.grp, hubs.name AS hub, wearables.name AS wearable, wearables.address, series.name AS series, series.unit,
  rows."time", rows."time" + rows.lasts * interval '1 microsecond' AS ends, rows.value,
  coalesce(rows.numbers, ARRAY[rows.value]) AS numbers, rows.data, wearers.name AS wearer, traits.origin, traits.kind,
  traits.manual, traits.clock_unsure, traits.low_quality, traits.encoding, traits.period_ns, traits.record,
  rows.counted, wearables.store, wearables.enrolment, rings.way, rows.ordinal, rows.ring, hubs.zone,
  -- Equal names of two hubs are two persons, unless hubs say that they are one.
  CASE WHEN wearers.name LIKE 'house/%' THEN NULL ELSE hubs.name END AS wearer_of,
  CASE WHEN wearers.name LIKE 'house/%' THEN NULL ELSE hubs.grp END AS wearer_grp
FROM hearth.rows
JOIN hearth.rings USING (ring)
JOIN hearth.series USING (series)
JOIN hearth.wearables USING (wearable)
JOIN hearth.stores USING (store)
JOIN hearth.hubs USING (hub)
JOIN hearth.traits USING (trait)
LEFT JOIN hearth.wearers USING (wearer);

-- Adds runs of ordinals to those that are known, and joins adjacent ones. A repetition has no effect. The rings are locked
-- until the transaction ends, in one order. So another sink neither adds to them unseen nor waits in a circle.
CREATE OR REPLACE FUNCTION hearth.keep_stretches(rings int[], firsts bigint[], lasts bigint[]) RETURNS void
LANGUAGE sql AS $$
SELECT FROM hearth.rings AS held WHERE held.ring = ANY (keep_stretches.rings) ORDER BY held.ring FOR NO KEY UPDATE;
WITH new AS (
  SELECT new.* FROM unnest(keep_stretches.rings, firsts, lasts) AS new (ring, first, last)
  WHERE NOT EXISTS (
    SELECT FROM hearth.stretches AS known
    WHERE known.ring = new.ring AND known.first <= new.first AND known.last >= new.last)),
joined AS (
  DELETE FROM hearth.stretches AS known USING new
  WHERE known.ring = new.ring AND known.first <= new.last + 1 AND known.last >= new.first - 1
  RETURNING known.ring, known.first, known.last)
INSERT INTO hearth.stretches (ring, first, last)
SELECT ring, lower(span), upper(span) - 1
FROM (
  SELECT ring, unnest(range_agg(int8range(first, last + 1))) AS span
  FROM (SELECT * FROM new UNION ALL SELECT * FROM joined) AS both_kinds
  GROUP BY ring) AS spans
ON CONFLICT DO NOTHING $$;

-- Whether a month between two times, both included, has no table: its rows may have been dropped with it.
CREATE OR REPLACE FUNCTION hearth.lacks_month(since timestamptz, until timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
SELECT EXISTS (
  SELECT FROM generate_series(
    date_trunc('month', greatest(since, '2015-01-01Z') AT TIME ZONE 'UTC'), least(until, now()) AT TIME ZONE 'UTC',
    interval '1 month') AS month
  WHERE NOT hearth.has_month(month AT TIME ZONE 'UTC')) $$;

-- Compares all rows with the known ordinals, from the beginning: after rows were deleted by hand, or restored. No group of
-- a sink is under way meanwhile. Known rows that are gone stay known if they may have gone with their month: a month
-- between the rows beside them has no table, or the month before the first or behind the last of them. Fetched rows are
-- in no order of time: a day more on both sides counts.
CREATE OR REPLACE FUNCTION hearth.check_anew() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(1752523876, 1);
  DROP TABLE IF EXISTS pg_temp.checked;
  CREATE TEMPORARY TABLE checked ON COMMIT DROP AS
  SELECT ring, range_agg(int8range(first, last + 1)) AS spans
  FROM (
    SELECT ring, min(first) AS first, max(last) AS last
    FROM (
      SELECT
        ring, first, last,
        count(*) FILTER (WHERE first > before + 1) OVER (PARTITION BY ring ORDER BY last, first ROWS UNBOUNDED PRECEDING)
          AS island
      FROM (
        SELECT
          ring, ordinal - coalesce(before, 0) AS first, ordinal AS last,
          lag(ordinal) OVER (PARTITION BY ring ORDER BY ordinal) AS before
        FROM hearth.rows WHERE ordinal < 9223372036854775807) AS walked) AS islands
    GROUP BY ring, island
    UNION ALL
    SELECT ring, first, last FROM hearth.skips) AS found
  GROUP BY ring;
  INSERT INTO checked
  SELECT ring, range_agg(hole)
  FROM (
    SELECT known.ring, unnest(known.spans - coalesce(checked.spans, '{}'::int8multirange)) AS hole
    FROM (
      SELECT ring, range_agg(int8range(first, last + 1)) AS spans FROM hearth.stretches GROUP BY ring) AS known
    LEFT JOIN checked USING (ring)) AS holes
  JOIN hearth.rings USING (ring)
  LEFT JOIN hearth.heads USING (ring)
  CROSS JOIN LATERAL (
    SELECT
      coalesce(
        (SELECT "time" FROM hearth.rows WHERE rows.ring = holes.ring AND ordinal < lower(hole) ORDER BY ordinal DESC LIMIT 1),
        CASE WHEN heads.first <= lower(hole) THEN first_time END) AS since,
      coalesce(
        (SELECT "time" FROM hearth.rows WHERE rows.ring = holes.ring AND ordinal >= upper(hole) ORDER BY ordinal LIMIT 1),
        CASE WHEN heads.next >= upper(hole) THEN newest_time END) AS until,
      CASE WHEN way = 'fetched' THEN interval '1 day' ELSE interval '0' END AS wide) AS beside
  WHERE since IS NULL AND until IS NULL
    OR hearth.lacks_month(
      coalesce(least(since, until) - wide, until - interval '1 month'),
      coalesce(greatest(since, until) + wide, since + interval '1 month'))
  GROUP BY ring;
  DELETE FROM hearth.stretches;
  INSERT INTO hearth.stretches (ring, first, last)
  SELECT ring, lower(span), upper(span) - 1
  FROM (SELECT ring, unnest(range_agg(part)) AS span FROM checked, unnest(spans) AS part GROUP BY ring) AS joined;
  DROP TABLE checked;
END $$;

-- Ordinals between two known runs.
CREATE OR REPLACE FUNCTION hearth.unknown() RETURNS TABLE (ring int, first bigint, last bigint) LANGUAGE sql STABLE AS $$
SELECT ring, last + 1, next - 1
FROM (
  SELECT
    ring, max(last) OVER known AS last, lead(first) OVER (PARTITION BY ring ORDER BY first, last) AS next
  FROM hearth.stretches
  WINDOW known AS (PARTITION BY ring ORDER BY first, last ROWS UNBOUNDED PRECEDING)) AS walked
WHERE next > last + 1 $$;

-- Ordinals that are accounted for in a range: rows, and ordinals that hubs reported as absent.
CREATE OR REPLACE FUNCTION hearth.found(of int, first bigint, last bigint) RETURNS int8multirange LANGUAGE sql STABLE AS $$
SELECT coalesce(range_agg(span), '{}'::int8multirange)
FROM (
  SELECT int8range(ordinal - coalesce(before, 0), ordinal + 1) AS span
  FROM hearth.rows WHERE ring = found.of AND ordinal >= found.first AND ordinal <= found.last
  UNION ALL
  SELECT int8range(skips.first, skips.last + 1)
  FROM hearth.skips WHERE ring = found.of AND skips.first <= found.last AND skips.last >= found.first) AS spans $$;

-- Takes up rows without known ordinals: a sink of an older version, or a person, stored them.
CREATE OR REPLACE FUNCTION hearth.keep_found() RETURNS void LANGUAGE sql AS $$
SELECT hearth.keep_stretches(array_agg(ring), array_agg(lower(span)), array_agg(upper(span) - 1))
FROM hearth.unknown(), unnest(hearth.found(ring, first, last)) AS span $$;

-- Missing ordinals that no hub reported as absent. These are between known ones, before the oldest and behind the newest
-- of a ring, as far as its hub reports that a broker acknowledged them.
--
-- All ordinals are walked, and only missing ones are compared with the times: fetched rows are in no order of
-- time. The times are those of the rows beside a gap; for fetched rows a day more on both sides counts.
--
-- Acknowledged rows may still wait at the broker, or at another sink. So a ring's ends count as missing a minute after
-- their report. While rows of the hub still come, one of them must have been sent after that report. The end has no time
-- behind it. For a ring without rows the time before is that of the oldest missing row.
CREATE OR REPLACE FUNCTION hearth.gaps(since timestamptz, until timestamptz) RETURNS TABLE (
  grp text, hub text, wearable text, series text, way text, store text, enrolment bigint, first bigint, last bigint,
  time_before timestamptz, time_after timestamptz) LANGUAGE sql STABLE
-- Compiling it takes seconds, and running it milliseconds.
SET jit = off AS $$
WITH told AS MATERIALIZED (
  SELECT heads.*, known.first AS oldest, known.last AS newest
  FROM hearth.heads
  JOIN hearth.rings USING (ring)
  JOIN hearth.wearables USING (wearable)
  JOIN hearth.stores USING (store)
  JOIN hearth.hubs USING (hub)
  CROSS JOIN LATERAL (
    SELECT min(stretches.first) AS first, max(stretches.last) AS last
    FROM hearth.stretches WHERE stretches.ring = heads.ring) AS known
  WHERE heads.came < now() - interval '1 minute'
    AND (hubs.last_rows IS NULL OR hubs.last_rows < now() - interval '30 seconds' OR hubs.last_sent >= heads.sent)),
looked AS (
  SELECT ring, first, last, NULL::timestamptz AS since, NULL::timestamptz AS until FROM hearth.unknown()
  UNION ALL
  SELECT ring, coalesce(newest + 1, first), next - 1, CASE WHEN newest IS NULL THEN first_time END, newest_time
  FROM told WHERE newest IS NULL OR next > newest + 1
  UNION ALL
  SELECT ring, first, oldest - 1, first_time, NULL FROM told WHERE oldest > first),
missing AS MATERIALIZED (
  SELECT ring, lower(hole) AS first, upper(hole) - 1 AS last, since, until
  FROM looked
  CROSS JOIN LATERAL unnest(int8multirange(int8range(first, last + 1)) - hearth.found(ring, first, last)) AS hole)
SELECT
  hubs.grp, hubs.name, wearables.name, series.name, rings.way, wearables.store, wearables.enrolment, missing.first, missing.last,
  span.since, CASE WHEN missing.until IS NULL THEN span.until END
FROM missing
LEFT JOIN LATERAL (
  SELECT "time" FROM hearth.rows WHERE rows.ring = missing.ring AND ordinal < missing.first
  ORDER BY ordinal DESC LIMIT 1) AS before ON true
LEFT JOIN LATERAL (
  SELECT "time" FROM hearth.rows WHERE rows.ring = missing.ring AND ordinal > missing.last
  ORDER BY ordinal LIMIT 1) AS after ON true
CROSS JOIN LATERAL (
  SELECT coalesce(missing.since, before."time") AS since, coalesce(missing.until, after."time") AS until) AS span
JOIN hearth.rings USING (ring)
JOIN hearth.series USING (series)
JOIN hearth.wearables USING (wearable)
JOIN hearth.stores USING (store)
JOIN hearth.hubs USING (hub)
CROSS JOIN LATERAL (
  SELECT CASE WHEN rings.way = 'fetched' THEN interval '1 day' ELSE interval '0' END AS wide) AS around
WHERE coalesce(greatest(span.since, span.until) + wide >= gaps.since, true)
  AND coalesce(least(span.since, span.until) - wide < gaps.until, true)
ORDER BY hubs.grp, hubs.name, wearables.name, series.name, rings.way, missing.first $$;

DO $$
BEGIN
  IF (SELECT version FROM hearth.about) < 4 THEN
    -- No group of a sink is under way during this check.
    PERFORM pg_advisory_xact_lock(1752523876, 1);
    PERFORM hearth.check_anew();
    -- Rows before or behind the present ones, of months that were dropped, were known once.
    PERFORM hearth.keep_stretches(array_agg(ring), array_agg(first), array_agg(last))
    FROM (
      SELECT heads.ring, heads.first, coalesce(min(stretches.first), heads.next) - 1 AS last
      FROM hearth.heads LEFT JOIN hearth.stretches USING (ring)
      WHERE NOT hearth.has_month(heads.first_time)
      GROUP BY heads.ring HAVING heads.first < coalesce(min(stretches.first), heads.next)
      UNION ALL
      SELECT heads.ring, max(stretches.last) + 1, heads.next - 1
      FROM hearth.heads JOIN hearth.stretches USING (ring)
      WHERE NOT hearth.has_month(heads.newest_time)
      GROUP BY heads.ring HAVING heads.next - 1 > max(stretches.last)) AS dropped;
  END IF;
  UPDATE hearth.about SET version = 5 WHERE version < 5;
END $$;
