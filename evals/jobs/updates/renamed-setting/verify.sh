diff .env <(printf 'DATABASE_HOST=db\nDATABASE_PASSWORD=pw-of-wiki-9x\nTZ=Europe/Zurich\n') >/dev/null || fail '.env does not fit'
cmp -s .env.before /before/.env || fail '.env.before is not the old file'
