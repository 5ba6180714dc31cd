-- Words and times in one inverted index: the newest nodes that hold a common word are found without looking at all of
-- them. A trusted extension: whoever owns the database may create it.
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- The words are written otherwise from now on (with the field they stand in), so the index is made anew from git: the
-- next question or `aish kb sync` does that.
DELETE FROM "knowledge_nodes";
DELETE FROM "knowledge_index";

-- DropIndex
DROP INDEX "knowledge_nodes_search_idx";

-- DropIndex
DROP INDEX "knowledge_nodes_title_search_idx";

-- AlterTable
ALTER TABLE "knowledge_nodes" DROP COLUMN "title_search";

-- CreateIndex
CREATE INDEX "knowledge_nodes_search_updated_at_idx" ON "knowledge_nodes" USING GIN ("search", "updated_at");

-- Both functions use the inverted index alone: left to itself the planner walks through all nodes for a rare word.

-- Any nodes that a question finds and that hold the rest of it, too, so many at most. The rest is looked up in the node.
CREATE FUNCTION "knowledge_some"("question" tsquery, "rest" tsquery, "enough" integer)
  RETURNS TABLE ("id" uuid)
  LANGUAGE plpgsql STABLE
  SET enable_seqscan = off
  SET enable_indexscan = off
AS $$
BEGIN
  RETURN QUERY SELECT n.id FROM knowledge_nodes n WHERE n.search @@ question AND (rest IS NULL OR ts_match_vq(n.search, rest))
    LIMIT enough;
END
$$;

-- The best nodes of a list of questions: those that the first one finds, newest first, then those that the second one
-- finds, until there are enough; all of them hold the rest. No node may be found by two questions. All ages are only looked at when there are not enough
-- since `recent`, so that a common word does not bring up all its nodes.
CREATE FUNCTION "knowledge_best"("questions" tsquery[], "rest" tsquery, "recent" timestamptz, "enough" integer)
  RETURNS TABLE ("id" uuid)
  LANGUAGE plpgsql STABLE
  SET enable_seqscan = off
  SET enable_indexscan = off
AS $$
DECLARE
  question tsquery;
  missing integer := enough;
  found_now integer;
BEGIN
  FOREACH question IN ARRAY questions LOOP
    IF recent IS NOT NULL THEN
      RETURN QUERY
        SELECT n.id FROM knowledge_nodes n WHERE n.search @@ question AND n.updated_at >= recent
          AND (rest IS NULL OR ts_match_vq(n.search, rest))
        ORDER BY n.updated_at DESC, n.id LIMIT missing;
      GET DIAGNOSTICS found_now = ROW_COUNT;
      missing := missing - found_now;
      EXIT WHEN missing <= 0;
    END IF;
    -- The index would collect all older times for a condition; this one is no condition to it.
    RETURN QUERY
      SELECT n.id FROM knowledge_nodes n WHERE n.search @@ question AND (recent IS NULL OR n.updated_at < recent)
        AND (rest IS NULL OR ts_match_vq(n.search, rest))
      ORDER BY n.updated_at DESC, n.id LIMIT missing;
    GET DIAGNOSTICS found_now = ROW_COUNT;
    missing := missing - found_now;
    EXIT WHEN missing <= 0;
  END LOOP;
END
$$;
