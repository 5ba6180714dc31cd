/**
 * What the rules are known to call safe although it destroys something, of the commands that the test runs. The second opinion,
 * if it is on, is asked about each of them. What is left destroys only where something of that name is there already, as `cp a b`,
 * or runs a file whose words nobody sees. A rule that stops one takes it off this list; nothing is ever added.
 */
export const KNOWN_MISSES: ReadonlySet<string> = new Set([
  'tar cf keep.txt a.txt',
  'echo "$(true && { install a.txt old.log\n}\n)"',
  'cp cmd.txt new.sh; chmod +x new.sh; ./new.sh',
  'python3 -m tarfile -c keep.txt a.txt',
]);
