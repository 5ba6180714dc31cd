-- What a person left to the commands of a goal without a question.
ALTER TABLE "goals" ADD COLUMN "trust" TEXT NOT NULL DEFAULT 'ask';
