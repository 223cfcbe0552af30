-- Doubtful rows: the wearable's clock was unsure, or the wearable itself reports low quality.
-- whom: a hub, or its group and the hub (group/hub); null: all of them.
CREATE OR REPLACE FUNCTION hearth.doubtful(since timestamptz, until timestamptz, whom text DEFAULT NULL)
RETURNS TABLE (
  grp text, hub text, wearable text, series text, rows bigint, clock_unsure bigint, low_quality bigint)
LANGUAGE sql STABLE AS $$
SELECT
  grp, hub, wearable, series, count(*), count(*) FILTER (WHERE clock_unsure), count(*) FILTER (WHERE low_quality)
FROM hearth.samples
WHERE "time" >= since AND "time" < until AND (whom IS NULL OR whom IN (hub, grp || '/' || hub))
GROUP BY store, enrolment, 1, 2, 3, 4
HAVING bool_or(clock_unsure OR low_quality)
ORDER BY 1, 2, 3, 4 $$;
