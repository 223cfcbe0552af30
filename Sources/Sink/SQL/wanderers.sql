-- Wearables that came to more than one hub, with each hub, begin and end.
-- whom: an address; null: all of them.
CREATE OR REPLACE FUNCTION hearth.wanderers(since timestamptz, until timestamptz, whom text DEFAULT NULL)
RETURNS TABLE (
  address text, grp text, hub text, wearable text, first_row timestamptz, last_row timestamptz, rows bigint)
LANGUAGE sql STABLE AS $$
SELECT address, grp, hub, wearable, first_row, last_row, rows
FROM (
  SELECT
    address, grp, hub, wearable, min("time") AS first_row, max("time") AS last_row, count(*) AS rows,
    count(*) OVER (PARTITION BY address) AS places
  FROM hearth.samples
  WHERE "time" >= since AND "time" < until AND (whom IS NULL OR address = whom)
  GROUP BY address, grp, hub, wearable) AS visits
WHERE places > 1
ORDER BY address, first_row, grp, hub $$;
