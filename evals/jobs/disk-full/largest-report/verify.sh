diff largest.txt <(printf '900000 media/films/one.mkv\n800000 media/music/live/set.flac\n700000 media/films/two words.mkv\n') || fail 'largest.txt is another'
