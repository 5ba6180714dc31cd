-- The parts of paths, hosts and addresses are looked for only in what has any: most of what an item costs is its words.
ALTER TABLE "memory_entries" DROP COLUMN "search";
ALTER TABLE "memory_entries" ADD COLUMN "search" tsvector GENERATED ALWAYS AS (
    to_tsvector('english'::regconfig, coalesce("content", ''))
    || CASE WHEN "content" ~ '[/._:@#=-]'
       THEN to_tsvector('english'::regconfig, translate("content", '/._:-@#=', '        ')) ELSE ''::tsvector END
    || array_to_tsvector("tags")
) STORED;
CREATE INDEX "memory_entries_search_idx" ON "memory_entries" USING GIN ("search")
    WHERE "target" IS NULL AND "forgotten_by" IS NULL;

-- As before, but a lock that is free is taken without touching settings.
CREATE OR REPLACE FUNCTION aish_lock(namespace int, key text, wait_ms int) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    before text;
BEGIN
    IF pg_try_advisory_xact_lock(namespace, hashtext(key)) THEN
        RETURN;
    END IF;
    before := current_setting('lock_timeout');
    PERFORM set_config('lock_timeout', greatest(1, wait_ms) || 'ms', true);
    PERFORM pg_advisory_xact_lock(namespace, hashtext(key));
    PERFORM set_config('lock_timeout', before, true);
END $$;

-- As before, but changes that only add are one insert.
CREATE OR REPLACE FUNCTION memory_apply(namespace int, p_owner text, wait_ms int, changes jsonb)
RETURNS TABLE (n int, number int, at timestamptz) LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    change record;
    next_number int;
    stamp timestamptz := clock_timestamp();
BEGIN
    PERFORM aish_lock(namespace, p_owner, wait_ms);
    SELECT coalesce(max(e.number), 0) + 1 INTO next_number FROM memory_entries e WHERE e.owner = p_owner;
    IF NOT jsonb_path_exists(changes, '$[*].forgets ? (@ != null)') THEN
        RETURN QUERY
            INSERT INTO memory_entries AS made (owner, number, kind, content, tags, origin, source, by, at)
            SELECT p_owner, next_number + c.n, c.kind, c.content, coalesce(c.tags, '{}'), c.origin,
                   nullif(c.source, 'null'::jsonb), c.author, stamp
            FROM jsonb_to_recordset(changes)
                AS c(n int, kind text, content text, tags text[], origin text, source jsonb, author text)
            RETURNING made.number - next_number, made.number, made.at;
        RETURN;
    END IF;
    FOR change IN
        SELECT c.* FROM jsonb_to_recordset(changes)
            AS c(n int, kind text, content text, tags text[], origin text, source jsonb, forgets int, author text)
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
            VALUES (p_owner, next_number, change.kind, change.content, coalesce(change.tags, '{}'), change.origin,
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
