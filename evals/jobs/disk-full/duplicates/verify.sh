[ "$(ls import | tr '\n' ' ')" = "new-1.jpg new-2.jpg " ] || fail "import holds $(ls import)"
[ "$(sed 's,^\(\./\)\?import/,,' deleted.txt)" = "$(printf 'IMG_1.jpg\nholiday.jpg')" ] || [ "$(sed 's,^\(\./\)\?import/,,' deleted.txt)" = "$(printf 'holiday.jpg\nIMG_1.jpg')" ] || fail "deleted.txt: $(cat deleted.txt)"
