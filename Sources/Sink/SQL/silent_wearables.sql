-- Wearables with rows before a time and without rows since; without a time, without rows for a day.
-- whom: a hub, or its group and the hub (group/hub); null: all of them.
CREATE OR REPLACE FUNCTION hearth.silent_wearables(since timestamptz, until timestamptz, whom text DEFAULT NULL)
RETURNS TABLE (grp text, hub text, wearable text, address text, last_row timestamptz) LANGUAGE sql STABLE AS $$
SELECT grp, hub, wearable, address, max("time")
FROM hearth.samples
WHERE "time" < until AND (whom IS NULL OR whom IN (hub, grp || '/' || hub))
GROUP BY store, enrolment, grp, hub, wearable, address
HAVING max("time") < CASE WHEN isfinite(since) THEN since ELSE least(until, now()) - interval '1 day' END
ORDER BY max("time"), grp, hub, wearable $$;
