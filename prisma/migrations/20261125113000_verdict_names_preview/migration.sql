-- The preview that a verdict names: its run is kept, and no other.
ALTER TABLE "decisions" ADD COLUMN "preview" UUID;
