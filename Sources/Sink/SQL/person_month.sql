-- A person's month, day by day of the hub's zone: minutes with a heart rate, lowest, mean and highest, and steps. Equal
-- names at two hubs are two persons. grp and hub: null for a person that is one at all hubs.
-- whom: a wearer as hubs report it; null: all persons.
CREATE OR REPLACE FUNCTION hearth.person_month(since timestamptz, until timestamptz, whom text DEFAULT NULL)
RETURNS TABLE (
  grp text, hub text, person text, day date, minutes bigint, lowest numeric, mean numeric, highest numeric, steps numeric)
LANGUAGE sql STABLE AS $$
SELECT
  wearer_grp, wearer_of, wearer, ("time" AT TIME ZONE zone)::date,
  count(DISTINCT date_trunc('minute', "time")) FILTER (WHERE series = 'heart_rate'),
  min(value) FILTER (WHERE series = 'heart_rate'), round(avg(value) FILTER (WHERE series = 'heart_rate'), 1),
  max(value) FILTER (WHERE series = 'heart_rate'), sum(value) FILTER (WHERE series = 'steps')
FROM hearth.samples
WHERE "time" >= since AND "time" < until AND wearer IS NOT NULL AND (whom IS NULL OR wearer = whom)
  AND series IN ('heart_rate', 'steps')
GROUP BY 1, 2, 3, 4 ORDER BY 3, 1, 2, 4 $$;
