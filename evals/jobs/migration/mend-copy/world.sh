mkdir -p source/d copy/d
for f in a b d/c d/e; do echo "content of $f" > source/$f; done
cp -a source/a copy/a; cp -a source/d/e copy/d/e; echo 'content of' > copy/b; echo only > copy/extra.txt
