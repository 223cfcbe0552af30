-- A hub's day, hour by hour: how many wearables and persons it had, and their heart rates.
-- whom: a hub, or its group and the hub (group/hub); null: all of them.
CREATE OR REPLACE FUNCTION hearth.gym_day(since timestamptz, until timestamptz, whom text DEFAULT NULL)
RETURNS TABLE (
  grp text, hub text, hour timestamptz, wearables bigint, persons bigint, mean_heart_rate numeric, highest_heart_rate numeric,
  rows bigint) LANGUAGE sql STABLE AS $$
SELECT
  grp, hub, date_trunc('hour', "time", zone), count(DISTINCT (store, enrolment)), count(DISTINCT wearer),
  round(avg(value) FILTER (WHERE series = 'heart_rate'), 1), max(value) FILTER (WHERE series = 'heart_rate'), count(*)
FROM hearth.samples
WHERE "time" >= since AND "time" < until AND (whom IS NULL OR whom IN (hub, grp || '/' || hub))
GROUP BY 1, 2, 3 ORDER BY 1, 2, 3 $$;
