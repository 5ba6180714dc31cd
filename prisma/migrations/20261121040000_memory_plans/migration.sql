-- A plan made while the table was small is kept by its connection: it must not read the whole table once that has grown.
ALTER FUNCTION memory_apply(int, text, int, jsonb) SET enable_seqscan = off;
ALTER FUNCTION memory_apply(int, text, int, jsonb) SET enable_bitmapscan = off;
