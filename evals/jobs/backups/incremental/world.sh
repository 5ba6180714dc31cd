mkdir p && cd p && mkdir project && echo a10 > project/a && echo b10 > project/b && echo c10 > project/c && tar cf ../full.tar project
echo a11 > project/a; : > deleted.txt; tar cf ../inc-11.tar project/a deleted.txt
echo d12 > project/d; echo project/b > deleted.txt; tar cf ../inc-12.tar project/d deleted.txt
echo a13 > project/a; echo project/c > deleted.txt; tar cf ../inc-13.tar project/a deleted.txt
cd .. && rm -r p
