-- Coverage: in how many minutes of each day a wearable has a heart rate, and which share of the day's minutes that is.
-- whom: a hub; null: all of them.
CREATE OR REPLACE FUNCTION hearth.coverage(since timestamptz, until timestamptz, whom text DEFAULT NULL)
RETURNS TABLE (hub text, wearable text, day date, minutes bigint, share numeric) LANGUAGE sql STABLE AS $$
SELECT
  hub, wearable, ("time" AT TIME ZONE 'UTC')::date, count(DISTINCT date_trunc('minute', "time")),
  round(count(DISTINCT date_trunc('minute', "time")) / 1440.0, 4)
FROM hearth.samples
WHERE "time" >= since AND "time" < until AND series = 'heart_rate' AND (whom IS NULL OR hub = whom)
GROUP BY store, enrolment, 1, 2, 3 ORDER BY 1, 2, 3 $$;
