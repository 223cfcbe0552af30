-- Coverage of a wearable, for each day of its hub: minutes with a heart rate, and the share of the day with values. As in
-- `hearth coverage`, a gap is longer than three usual intervals between values, and longer than half a minute.
-- whom: a hub, or its group and the hub (group/hub); null: all of them.
CREATE OR REPLACE FUNCTION hearth.coverage(since timestamptz, until timestamptz, whom text DEFAULT NULL)
RETURNS TABLE (grp text, hub text, wearable text, day date, minutes bigint, share numeric) LANGUAGE sql STABLE
SET jit = off AS $$
WITH told AS (
  SELECT
    grp, hub, wearable, store, enrolment, way, "time" AS at, ("time" AT TIME ZONE zone)::date AS day, zone
  FROM hearth.samples
  WHERE "time" >= since AND "time" < until AND series = 'heart_rate'
    AND (whom IS NULL OR whom IN (hub, grp || '/' || hub)) AND isfinite("time")),
walked AS (
  SELECT
    *, greatest(day::timestamp AT TIME ZONE zone, since) AS begins,
    least((day + 1)::timestamp AT TIME ZONE zone, until) AS ends,
    (extract(epoch FROM at - lag(at) OVER (PARTITION BY store, enrolment, way, day ORDER BY at)) * 1000000)::bigint
      AS distance
  FROM told),
-- The usual interval: intervals up to it take half of the time. Classes of intervals are quarters of powers of two.
binned AS (
  SELECT
    store, enrolment, way, day, sum(distance) AS times, sum(distance) / count(*) AS mean,
    sum(sum(distance)) OVER (PARTITION BY store, enrolment, way, day ORDER BY power, quarter) AS passed,
    sum(sum(distance)) OVER (PARTITION BY store, enrolment, way, day) AS whole
  FROM walked
  CROSS JOIN LATERAL (SELECT length(ltrim(distance::bit(64)::text, '0')) - 1 AS power) AS one
  CROSS JOIN LATERAL (SELECT CASE WHEN power >= 2 THEN distance >> (power - 2) & 3 ELSE 0 END AS quarter) AS other
  WHERE distance BETWEEN 1 AND 3600000000
  GROUP BY store, enrolment, way, day, power, quarter),
usual AS (
  SELECT DISTINCT ON (store, enrolment, way, day)
    store, enrolment, way, day, trunc(mean) * interval '1 microsecond' AS period
  FROM binned WHERE passed >= whole / 2 ORDER BY store, enrolment, way, day, passed),
timed AS (
  SELECT
    walked.*, coalesce(period, '0') AS period,
    greatest(interval '30 seconds', (ends - begins) / 4096, 3 * coalesce(period, '0')) AS tolerance
  FROM walked LEFT JOIN usual USING (store, enrolment, way, day)),
pieces AS (
  SELECT
    *, count(*) FILTER (WHERE distance * interval '1 microsecond' > tolerance)
      OVER (PARTITION BY store, enrolment, way, day ORDER BY at ROWS UNBOUNDED PRECEDING) AS piece
  FROM timed),
spans AS (
  SELECT
    hub, wearable, store, enrolment, day, begins, ends,
    tstzrange(
      CASE WHEN min(at) - begins <= tolerance THEN begins ELSE min(at) END,
      least(ends, greatest(CASE WHEN ends - max(at) <= tolerance THEN ends ELSE max(at) END, max(at) + period))) AS span
  FROM pieces
  GROUP BY hub, wearable, store, enrolment, way, day, begins, ends, tolerance, period, piece),
covered AS (
  SELECT store, enrolment, day, sum(extract(epoch FROM upper(part) - lower(part))) AS seconds
  FROM (
    SELECT store, enrolment, day, unnest(range_agg(span)) AS part FROM spans GROUP BY store, enrolment, day) AS parts
  GROUP BY store, enrolment, day)
SELECT
  grp, hub, wearable, day, count(DISTINCT date_trunc('minute', at)),
  round(coalesce(max(seconds), 0) / extract(epoch FROM max((day + 1)::timestamp AT TIME ZONE zone) - min(day::timestamp AT TIME ZONE zone)), 4)
FROM told LEFT JOIN covered USING (store, enrolment, day)
GROUP BY store, enrolment, grp, hub, wearable, day ORDER BY 1, 2, 3, 4 $$;
