-- A node is found by parts of its body, too, so several pieces are of one.
DROP INDEX "recall_texts_node_id_key";
CREATE INDEX "recall_texts_node_id_idx" ON "recall_texts" ("node_id");
-- The next question has all nodes read anew.
DELETE FROM "knowledge_index";
