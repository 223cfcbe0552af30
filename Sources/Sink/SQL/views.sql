-- Rows with the names of what they are of.
CREATE OR REPLACE VIEW hearth.samples AS
SELECT
  hubs.grp, hubs.name AS hub, wearables.name AS wearable, wearables.address, series.name AS series, series.unit,
  rows."time", rows."time" + rows.lasts * interval '1 microsecond' AS ends, rows.value,
  coalesce(rows.numbers, ARRAY[rows.value]) AS numbers, rows.data, wearers.name AS wearer, traits.origin, traits.kind,
  traits.manual, traits.clock_unsure, traits.low_quality, traits.encoding, traits.period_ns, traits.record,
  rows.counted, wearables.store, wearables.enrolment, rings.way, rows.ordinal, rows.ring
FROM hearth.rows
JOIN hearth.rings USING (ring)
JOIN hearth.series USING (series)
JOIN hearth.wearables USING (wearable)
JOIN hearth.stores USING (store)
JOIN hearth.hubs USING (hub)
JOIN hearth.traits USING (trait)
LEFT JOIN hearth.wearers USING (wearer);

-- Ordinals that are missing, and of which no hub told that it does not have them: between those that are known, and before
-- the oldest and behind the newest of a ring as far as its hub told that a broker acknowledged them.
--
-- What was acknowledged may still wait at the broker, or be in another sink's hands. So a ring's end is missing only when
-- five minutes went by since it was told; a sink that is away for longer leaves its rows missing until it has caught up.
-- The end has no time behind it. Where nothing of a ring is there, the time before it is that of the oldest row that is
-- missing.
CREATE OR REPLACE FUNCTION hearth.gaps(since timestamptz, until timestamptz) RETURNS TABLE (
  hub text, wearable text, series text, way text, store text, enrolment bigint, first bigint, last bigint,
  time_before timestamptz, time_after timestamptz) LANGUAGE sql STABLE AS $$
WITH walked AS (
  SELECT
    ring, ordinal, "time", coalesce(before, 0) AS before, lag(ordinal) OVER known AS ordinal_before,
    lag("time") OVER known AS time_before
  FROM hearth.rows
  WHERE "time" >= since AND "time" < until
  WINDOW known AS (PARTITION BY ring ORDER BY ordinal)),
holes AS (
  SELECT ring, ordinal_before + 1 AS first, ordinal - before - 1 AS last, time_before, "time" AS time_after
  FROM walked
  WHERE ordinal - before > ordinal_before + 1
  UNION ALL
  SELECT
    heads.ring, coalesce(newest.ordinal + 1, heads.first), heads.next - 1, coalesce(newest."time", heads.first_time),
    NULL
  FROM hearth.heads
  LEFT JOIN LATERAL (
    SELECT ordinal, "time" FROM hearth.rows WHERE rows.ring = heads.ring ORDER BY ordinal DESC LIMIT 1) AS newest ON true
  WHERE heads.came < now() - interval '5 minutes' AND hearth.has_month(heads.newest_time)
    AND (newest.ordinal IS NULL OR heads.next > newest.ordinal + 1)
    AND heads.newest_time >= since AND coalesce(newest."time", heads.first_time) < until
  UNION ALL
  SELECT heads.ring, heads.first, oldest.ordinal - coalesce(oldest.before, 0) - 1, heads.first_time, oldest."time"
  FROM hearth.heads
  CROSS JOIN LATERAL (
    SELECT ordinal, "time", before FROM hearth.rows WHERE rows.ring = heads.ring ORDER BY ordinal LIMIT 1) AS oldest
  WHERE heads.came < now() - interval '5 minutes' AND hearth.has_month(heads.first_time)
    AND oldest.ordinal - coalesce(oldest.before, 0) > heads.first
    AND oldest."time" >= since AND heads.first_time < until)
SELECT
  hubs.name, wearables.name, series.name, rings.way, wearables.store, wearables.enrolment, lower(missing),
  upper(missing) - 1, holes.time_before, holes.time_after
FROM holes
CROSS JOIN LATERAL (
  SELECT coalesce(range_agg(int8range(skips.first, skips.last, '[]')), '{}'::int8multirange) AS told
  FROM hearth.skips
  WHERE skips.ring = holes.ring AND skips.first <= holes.last AND skips.last >= holes.first) AS skipped
CROSS JOIN LATERAL unnest(int8multirange(int8range(holes.first, holes.last, '[]')) - skipped.told) AS missing
JOIN hearth.rings USING (ring)
JOIN hearth.series USING (series)
JOIN hearth.wearables USING (wearable)
JOIN hearth.stores USING (store)
JOIN hearth.hubs USING (hub)
ORDER BY hubs.name, wearables.name, series.name, lower(missing) $$;
