diff killed.txt <(printf 'jellyfin 3\nmariadbd 1\nphotoprism 1\n') || fail 'killed.txt is another'
