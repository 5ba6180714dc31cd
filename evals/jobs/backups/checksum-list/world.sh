mkdir archive && cd archive
for n in 01 02 03 04 05 06; do echo "roll $n" > roll-$n.raw; done
sha256sum *.raw > SHA256SUMS
echo rot >> roll-02.raw; rm roll-05.raw
