printf 'From 2.x to 3:\n\n- WIKI_DB_HOST becomes DATABASE_HOST\n- WIKI_DB_PASS becomes DATABASE_PASSWORD\n- WIKI_THEME is gone: delete it\n' > UPGRADE.md
printf 'WIKI_DB_HOST=db\nWIKI_DB_PASS=pw-of-wiki-9x\nWIKI_THEME=dark\nTZ=Europe/Zurich\n' > .env
