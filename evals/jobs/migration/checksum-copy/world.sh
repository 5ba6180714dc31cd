mkdir -p "old/a b/c"; echo 1 > old/one; echo 2 > "old/a b/two"; echo 3 > "old/a b/c/three.txt"; touch -d 2020-02-02 old/one "old/a b/two"
