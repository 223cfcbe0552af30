-- Number of rows by hub, wearable and series, for each day of the hub's zone.
-- whom: a hub, or its group and the hub (group/hub); null: all of them.
CREATE OR REPLACE FUNCTION hearth.volume(since timestamptz, until timestamptz, whom text DEFAULT NULL)
RETURNS TABLE (grp text, hub text, day date, series text, rows bigint, numbers bigint) LANGUAGE sql STABLE AS $$
SELECT
  grp, hub, ("time" AT TIME ZONE zone)::date, series, count(*), coalesce(sum(cardinality(array_remove(numbers, NULL))), 0)
FROM hearth.samples
WHERE "time" >= since AND "time" < until AND (whom IS NULL OR whom IN (hub, grp || '/' || hub))
GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4 $$;
