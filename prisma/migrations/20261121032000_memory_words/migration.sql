-- Paths, hosts and addresses are one word each to the parser; their parts are to be found, too.
ALTER TABLE "memory_entries" DROP COLUMN "search";
ALTER TABLE "memory_entries" ADD COLUMN "search" tsvector GENERATED ALWAYS AS (
    to_tsvector('english'::regconfig, coalesce("content", ''))
    || to_tsvector('english'::regconfig, translate(coalesce("content", ''), '/._:-@#=', '        '))
    || array_to_tsvector("tags")
) STORED;
CREATE INDEX "memory_entries_search_idx" ON "memory_entries" USING GIN ("search")
    WHERE "target" IS NULL AND "forgotten_by" IS NULL;

-- Takes a lock until the transaction ends, for statements that take it themselves. Called through advisory-lock.ts alone.
CREATE FUNCTION aish_lock(namespace int, key text, wait_ms int) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    before text := current_setting('lock_timeout');
BEGIN
    PERFORM set_config('lock_timeout', greatest(1, wait_ms) || 'ms', true);
    PERFORM pg_advisory_xact_lock(namespace, hashtext(key));
    PERFORM set_config('lock_timeout', before, true);
END $$;

-- Carries out changes of an owner's memory in order, in one round trip: numbers them on under the owner's lock, writes
-- items and tombstones, marks what is forgotten. A change whose target is no active item does nothing and has no answer.
-- Each statement of a volatile function sees what was committed before it began, so the last number is read after the lock.
CREATE FUNCTION memory_apply(namespace int, p_owner text, wait_ms int, changes jsonb)
RETURNS TABLE (n int, number int, at timestamptz) LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    change record;
    next_number int;
    stamp timestamptz := clock_timestamp();
BEGIN
    PERFORM aish_lock(namespace, p_owner, wait_ms);
    SELECT coalesce(max(e.number), 0) + 1 INTO next_number FROM memory_entries e WHERE e.owner = p_owner;
    FOR change IN
        SELECT c.* FROM jsonb_to_recordset(changes)
            AS c(n int, kind text, content text, tags jsonb, origin text, source jsonb, forgets int, author text)
        ORDER BY c.n
    LOOP
        IF change.forgets IS NOT NULL THEN
            -- The tombstone comes after the item that takes the place of the old one, if there is one.
            UPDATE memory_entries e
            SET forgotten_by = next_number + CASE WHEN change.content IS NULL THEN 0 ELSE 1 END
            WHERE e.owner = p_owner AND e.number = change.forgets AND e.target IS NULL AND e.forgotten_by IS NULL;
            CONTINUE WHEN NOT FOUND;
        END IF;
        n := change.n;
        number := next_number;
        at := stamp;
        RETURN NEXT;
        IF change.content IS NOT NULL THEN
            INSERT INTO memory_entries (owner, number, kind, content, tags, origin, source, by, replaces, at)
            VALUES (p_owner, next_number, change.kind, change.content,
                    coalesce((SELECT array_agg(t) FROM jsonb_array_elements_text(change.tags) t), '{}'), change.origin,
                    nullif(change.source, 'null'::jsonb), change.author, change.forgets, stamp);
            next_number := next_number + 1;
        END IF;
        IF change.forgets IS NOT NULL THEN
            INSERT INTO memory_entries (owner, number, kind, target, tags, by, at)
            VALUES (p_owner, next_number, 'forget', change.forgets, '{}', change.author, stamp);
            next_number := next_number + 1;
        END IF;
    END LOOP;
END $$;
