-- A form asks for its fields in the order of its schema, which jsonb does not keep.
ALTER TABLE "decisions" ALTER COLUMN "request" TYPE JSON USING "request"::json;
