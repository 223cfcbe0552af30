-- A person's heart rate in steps of five minutes. grp and hub: null for a person that is one at all hubs.
-- whom: a wearer as hubs report it; null: all persons, each separately.
CREATE OR REPLACE FUNCTION hearth.curve(since timestamptz, until timestamptz, whom text DEFAULT NULL)
RETURNS TABLE (
  "time" timestamptz, grp text, hub text, person text, lowest numeric, mean numeric, highest numeric, rows bigint)
LANGUAGE sql STABLE AS $$
SELECT
  date_bin('5 minutes', samples."time", '2000-01-01Z'), wearer_grp, wearer_of, wearer, min(value),
  round(avg(value), 1), max(value), count(*)
FROM hearth.samples
WHERE samples."time" >= since AND samples."time" < until AND series = 'heart_rate' AND wearer IS NOT NULL
  AND (whom IS NULL OR wearer = whom)
GROUP BY 1, 2, 3, 4 ORDER BY 1, 4, 2, 3 $$;
