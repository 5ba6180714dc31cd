-- CreateIndex
CREATE INDEX "knowledge_nodes_title_key_idx" ON "knowledge_nodes"("title_key");
