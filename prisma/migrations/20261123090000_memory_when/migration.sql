-- Items are found by when and by whom they were written down, too. The words are those of `dateTokens` in packages/ranking.
CREATE FUNCTION memory_when(at timestamptz) RETURNS tsvector LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT array_to_tsvector(ARRAY[
        'on:' || day, 'on:' || substr(day, 6), 'in:' || left(day, 7), 'in:' || substr(day, 6, 2), 'in:' || left(day, 4)])
    FROM (SELECT extract(year FROM utc)::text || '-' || lpad(extract(month FROM utc)::text, 2, '0') || '-'
                 || lpad(extract(day FROM utc)::text, 2, '0') AS day
          FROM (SELECT at AT TIME ZONE 'UTC' AS utc) AS moment) AS written
$$;

-- A word that stands in the text and in a part of a path is counted once: the parts have no places.
ALTER TABLE "memory_entries" DROP COLUMN "search";
ALTER TABLE "memory_entries" ADD COLUMN "search" tsvector GENERATED ALWAYS AS (
    to_tsvector('english'::regconfig, coalesce("content", ''))
    || CASE WHEN "content" ~ '[/._:@#=-]'
       THEN strip(to_tsvector('english'::regconfig, translate("content", '/._:-@#=', '        '))) ELSE ''::tsvector END
    || array_to_tsvector("tags") || strip(to_tsvector('english'::regconfig, "by")) || memory_when("at")
) STORED;
CREATE INDEX "memory_entries_search_idx" ON "memory_entries" USING GIN ("search")
    WHERE "target" IS NULL AND "forgotten_by" IS NULL;

-- Nodes are found by month, too: the index is made anew with the next query.
DELETE FROM "knowledge_index";
