-- A person's month, day by day: minutes with a heart rate, lowest, mean and highest, and steps.
-- whom: a wearer as hubs tell it; null: everybody.
CREATE OR REPLACE FUNCTION hearth.person_month(since timestamptz, until timestamptz, whom text DEFAULT NULL)
RETURNS TABLE (
  person text, day date, minutes bigint, lowest numeric, mean numeric, highest numeric, steps numeric)
LANGUAGE sql STABLE AS $$
SELECT
  wearer, ("time" AT TIME ZONE 'UTC')::date,
  count(DISTINCT date_trunc('minute', "time")) FILTER (WHERE series = 'heart_rate'),
  min(value) FILTER (WHERE series = 'heart_rate'), round(avg(value) FILTER (WHERE series = 'heart_rate'), 1),
  max(value) FILTER (WHERE series = 'heart_rate'), sum(value) FILTER (WHERE series = 'steps')
FROM hearth.samples
WHERE "time" >= since AND "time" < until AND wearer IS NOT NULL AND (whom IS NULL OR wearer = whom)
  AND series IN ('heart_rate', 'steps')
GROUP BY 1, 2 ORDER BY 1, 2 $$;
