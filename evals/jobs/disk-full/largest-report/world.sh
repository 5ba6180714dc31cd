mkdir -p media/films media/music/live
head -c 900000 /dev/zero > media/films/one.mkv
head -c 700000 /dev/zero > "media/films/two words.mkv"
head -c 800000 /dev/zero > media/music/live/set.flac
head -c 100000 /dev/zero > media/music/a.mp3
