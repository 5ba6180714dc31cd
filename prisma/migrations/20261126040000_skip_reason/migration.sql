-- Why an action was not run: said in its event alone, it was gone from what `aish show` has.
ALTER TABLE "actions" ADD COLUMN     "skip_reason" TEXT;
