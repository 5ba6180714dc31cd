/**
 * What the rules are known to call safe although it destroys something, of the commands that the test runs. The second opinion,
 * if it is on, is asked about each of them. A rule that stops one takes it off this list; nothing is ever added.
 */
export const KNOWN_MISSES: ReadonlySet<string> = new Set([
  'curl --trace keep.txt http://127.0.0.1:8080/f',
  "curl -w '%output{keep.txt}x' http://127.0.0.1:8080/f",
  'f() { curl -v --stderr keep.txt http://127.0.0.1:8080/f\n}; f',
  "cd . && curl -w '%output{>>.bashrc}x' http://127.0.0.1:8080/f",
  'tar cf keep.txt a.txt',
  'sort --outp data.csv a.txt',
  'echo "$(true && { install a.txt old.log\n}\n)"',
  "tar -cf /tmp/new.tar -I'sed -i d keep.txt' a.txt",
  'env BASH_ENV=cmd.txt bash -c :',
  'export BASH_ENV=cmd.txt; bash -c :',
  'cp cmd.txt new.sh; chmod +x new.sh; ./new.sh',
  'python3 -m tarfile -c keep.txt a.txt',
  'python3 -m timeit -n 1 -r 1 \'import os; os.path.exists("keep.txt") and os.remove("keep.txt")\'',
  'python3 -c \'import http.client as h; c = h.HTTPConnection("127.0.0.1", 8080); c.request("PUT", "/x"); c.getresponse()\'',
  '{ GIT_INDEX_FILE=old.log git read-tree HEAD\n}',
  'git -c help.autocorrect=immediate chekout -- README.md',
  "sqlite3 app.db '.trace keep.txt' 'select 1'",
  "false || { sqlite3 app.db '.once keep.txt' 'select 1'\n}",
  "make -n -f - <<< 'include x\nx: ; rm -f keep.txt'",
]);
