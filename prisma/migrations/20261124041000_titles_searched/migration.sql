-- Looking for words reads no title that holds none of them.
CREATE INDEX "sessions_title_search" ON "sessions" USING gin (to_tsvector('simple', "title"));
