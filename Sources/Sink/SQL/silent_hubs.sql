-- Silent hubs: dead, or not heard since a time; without a time, for three minutes. Every hub reports its status each
-- minute.
-- whom: a group of hubs; null: all of them.
CREATE OR REPLACE FUNCTION hearth.silent_hubs(since timestamptz, until timestamptz, whom text DEFAULT NULL)
RETURNS TABLE (grp text, hub text, state text, last_seen timestamptz, hours_silent numeric) LANGUAGE sql STABLE AS $$
SELECT grp, name, state, last_seen, round(extract(epoch FROM least(until, now()) - last_seen) / 3600, 1)
FROM hearth.hubs
WHERE (whom IS NULL OR grp = whom)
  AND (
    last_seen IS NULL OR state = 'dead'
    OR last_seen < CASE WHEN isfinite(since) THEN since ELSE least(until, now()) - interval '3 minutes' END)
ORDER BY last_seen NULLS FIRST, grp, name $$;
