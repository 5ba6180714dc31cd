mkdir -p data/films/x data/music data/docs
head -c 5000 /dev/zero > data/films/x/a; head -c 1000 /dev/zero > data/films/b; head -c 2000 /dev/zero > data/music/c; echo hi > data/docs/d
