mkdir scans; for f in 01.02.2019-3 24.12.2020-11 05.07.2018-1; do echo "$f" > scans/$f.jpg; done; echo r > scans/readme.txt
