mkdir album import
for n in 1 2 3 4; do echo "photo $n" > album/IMG_$n.jpg; done
cp album/IMG_1.jpg import/IMG_1.jpg
cp album/IMG_3.jpg import/holiday.jpg
echo 'other one' > import/new-1.jpg
echo 'another' > import/new-2.jpg
