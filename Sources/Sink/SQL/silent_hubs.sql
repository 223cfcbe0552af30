-- Hubs that fell silent: known, and not heard since.
-- whom: a group of hubs; null: all of them.
CREATE OR REPLACE FUNCTION hearth.silent_hubs(since timestamptz, until timestamptz, whom text DEFAULT NULL)
RETURNS TABLE (grp text, hub text, state text, last_seen timestamptz, hours_silent numeric) LANGUAGE sql STABLE AS $$
SELECT grp, name, state, last_seen, round(extract(epoch FROM until - last_seen) / 3600, 1)
FROM hearth.hubs
WHERE (last_seen IS NULL OR last_seen < since) AND (whom IS NULL OR grp = whom)
ORDER BY last_seen NULLS FIRST, grp, name $$;
