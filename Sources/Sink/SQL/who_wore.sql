-- Wearers of wearables, for each day of the hub's zone.
-- whom: a wearer as hubs report it; null: all persons.
CREATE OR REPLACE FUNCTION hearth.who_wore(since timestamptz, until timestamptz, whom text DEFAULT NULL)
RETURNS TABLE (
  person text, grp text, hub text, wearable text, day date, first_row timestamptz, last_row timestamptz, rows bigint)
LANGUAGE sql STABLE AS $$
SELECT wearer, grp, hub, wearable, ("time" AT TIME ZONE zone)::date, min("time"), max("time"), count(*)
FROM hearth.samples
WHERE "time" >= since AND "time" < until AND wearer IS NOT NULL AND (whom IS NULL OR wearer = whom)
GROUP BY store, enrolment, 1, 2, 3, 4, 5 ORDER BY 1, 5, 2, 3, 4 $$;
