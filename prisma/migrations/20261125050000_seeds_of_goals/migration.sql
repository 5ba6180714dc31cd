-- So that a model that knows seeds draws the same words again.
ALTER TABLE "goals" ADD COLUMN "seed" INTEGER;
