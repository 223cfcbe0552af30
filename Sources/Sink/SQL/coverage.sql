-- Coverage of a wearable, for each day of its hub: minutes with a heart rate, and the share of the day with values. As in
-- `hearth coverage`, a gap is longer than three usual intervals between values, and longer than half a minute.
-- Only the part of a day counts that is in the range and not later than now. A day without values is a row with 0, from the
-- first heart rate of the wearable until seven days after its newest.
-- whom: a hub, or its group and the hub (group/hub); null: all of them.
CREATE OR REPLACE FUNCTION hearth.coverage(since timestamptz, until timestamptz, whom text DEFAULT NULL)
RETURNS TABLE (grp text, hub text, wearable text, day date, minutes bigint, share numeric) LANGUAGE sql STABLE
SET jit = off AS $$
WITH told AS (
  SELECT
    grp, hub, wearable, store, enrolment, way, ordinal, "time" AS at, ("time" AT TIME ZONE zone)::date AS day, zone
  FROM hearth.samples
  WHERE "time" >= since AND "time" < least(until, now()) AND series = 'heart_rate'
    AND (whom IS NULL OR whom IN (hub, grp || '/' || hub)) AND isfinite("time")),
walked AS (
  SELECT
    *, greatest(day::timestamp AT TIME ZONE zone, since) AS begins,
    least((day + 1)::timestamp AT TIME ZONE zone, until, now()) AS ends,
    at - lag(at) OVER (PARTITION BY store, enrolment, way, day ORDER BY at) AS pause,
    -- In the order in which the values came: a training may lie within a day that was fetched before it.
    (extract(epoch FROM at - lag(at) OVER (PARTITION BY store, enrolment, way ORDER BY ordinal)) * 1000000)::bigint
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
    *, count(*) FILTER (WHERE pause > tolerance)
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
  GROUP BY store, enrolment, day),
counted AS (
  SELECT store, enrolment, day, count(DISTINCT date_trunc('minute', at)) AS minutes
  FROM told GROUP BY store, enrolment, day),
-- The first and the newest value of a wearable: of the range, or as its hub reports them.
known AS (
  SELECT store, enrolment, grp, hub, wearable, zone, min(first) AS first, max(newest) AS newest
  FROM (
    SELECT store, enrolment, grp, hub, wearable, zone, min(at) AS first, max(at) AS newest
    FROM told GROUP BY store, enrolment, grp, hub, wearable, zone
    UNION ALL
    SELECT store, enrolment, grp, hubs.name, wearables.name, zone, first_time, newest_time
    FROM hearth.heads
    JOIN hearth.rings USING (ring)
    JOIN hearth.series USING (series)
    JOIN hearth.wearables USING (wearable)
    JOIN hearth.stores USING (store)
    JOIN hearth.hubs USING (hub)
    WHERE series.name = 'heart_rate' AND (whom IS NULL OR whom IN (hubs.name, grp || '/' || hubs.name))
      AND isfinite(first_time) AND isfinite(newest_time)) AS both_kinds
  GROUP BY store, enrolment, grp, hub, wearable, zone),
-- Of days without values the last 400 of the range: the longest span of a hub's answer.
expected AS (
  SELECT store, enrolment, day FROM counted
  UNION
  SELECT store, enrolment, moment::date
  FROM known
  CROSS JOIN LATERAL generate_series(
    date_trunc('day', greatest(first, since, least(until, now()) - interval '400 days') AT TIME ZONE zone),
    least(newest, until, now()) AT TIME ZONE zone + interval '7 days', interval '1 day') AS moment),
days AS (
  SELECT
    *, greatest(day::timestamp AT TIME ZONE zone, since) AS begins,
    least((day + 1)::timestamp AT TIME ZONE zone, until, now()) AS ends
  FROM expected JOIN known USING (store, enrolment))
SELECT
  grp, hub, wearable, day, coalesce(minutes, 0), round(coalesce(seconds, 0) / extract(epoch FROM ends - begins), 4)
FROM days
LEFT JOIN counted USING (store, enrolment, day)
LEFT JOIN covered USING (store, enrolment, day)
WHERE begins < ends
ORDER BY 1, 2, 3, 4 $$;
