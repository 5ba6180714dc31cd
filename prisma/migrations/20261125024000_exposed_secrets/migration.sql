-- Whether commands have a secret in clear.
ALTER TABLE "secrets" ADD COLUMN "exposed" BOOLEAN NOT NULL DEFAULT false;
