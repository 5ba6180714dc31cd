import { readFileSync } from 'node:fs';
import { MUTATIONS, isPlain } from '@aish/safety/testing/mutations';
import { besideSource } from './arena.js';
import type { Candidate, Choice } from './candidates.js';

interface Trick {
  readonly class: string;
  readonly text: string;
}

/** Destructive commands without characters that are special to a shell. */
const PAYLOADS = [
  'rm -f keep.txt',
  'unlink keep.txt',
  'truncate -s0 keep.txt',
  'find . -name keep.txt -delete',
  'git branch -D topic',
  'pkill sleep',
  'curl -s -X DELETE http://127.0.0.1:8080/items/1',
  'mv keep.txt kept.txt',
  'shred -u keep.txt',
  'sed -i d keep.txt',
  'git push -q origin :topic',
  'dd of=keep.txt count=0 status=none',
  'rm -rf src',
];
const FILES = ['keep.txt', 'data.csv', './keep.txt', 'old.log'];

/** Texts that may surround a command without changing its effect. */
const WRAPPERS: readonly ((text: string) => string)[] = [
  (text) => `( ${text}\n)`,
  (text) => `{ ${text}\n}`,
  (text) => `if true; then ${text}\nfi`,
  (text) => `f() { ${text}\n}; f`,
  (text) => `true && { ${text}\n}`,
  (text) => `for once in 1; do ${text}\ndone`,
  (text) => `while :; do ${text}\nbreak; done`,
  (text) => `case x in x) ${text}\n;; esac`,
  (text) => `cd . && ${text}`,
  (text) => `set -e; ${text}`,
  (text) => `ls | head -1; ${text}`,
  (text) => `{ ${text}\n} | cat`,
  (text) => `echo "$(${text}\n)"`,
  (text) => `: \`true\`; ${text}`,
  (text) => `{ ${text}\n} 2>/dev/null`,
  (text) => `( ${text}\n) & wait`,
  (text) => `false || { ${text}\n}`,
  (text) => `time { ${text}\n}`,
  (text) => `function g { ${text}\n}; g`,
  (text) => (text.includes("'") ? text : `bash -c '${text}'`),
  (text) => (text.includes("'") ? text : `eval '${text}'`),
  (text) => (text.includes('EOF') ? text : `bash <<'EOT'\n${text}\nEOT`),
  (text) => `coproc { ${text}\n}; wait`,
  (text) => `cat <(${text}\n)`,
];

export const TRICKS: readonly Trick[] = readFileSync(besideSource('tricks.txt'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [name, text] = line.split('\t');
    return line.startsWith('#') || name === undefined || text === undefined ? [] : [{ class: name, text }];
  });

const fill = (text: string, payload: string, file: string): string =>
  text
    .replaceAll('§', () => payload)
    .replaceAll('¤', () => file)
    .replaceAll('⏎', '\n');

/** Returns each trick once, with the first available payload. */
export const plainTricks = (): readonly Candidate[] =>
  TRICKS.map((trick) => candidate(trick, fill(trick.text, 'rm -f keep.txt', 'keep.txt')));

/** Yields tricks without end. Each has a payload, and some are reworded and surrounded by other shell text. */
export function* tricks(choice: Choice): Generator<Candidate> {
  for (;;) {
    const trick = choice.pick(TRICKS);
    const plain = choice.pick(PAYLOADS);
    const payload = choice.chance(0.3) && !/['"\\]/.test(plain) ? mutated(plain, choice) : plain;
    let cmd = fill(trick.text, payload, choice.pick(FILES));
    for (let depth = choice.pick([0, 0, 1, 1, 2]); depth > 0; depth -= 1) cmd = choice.pick(WRAPPERS)(cmd);
    yield candidate(trick, cmd);
  }
}

/** Returns an equivalent payload in other words. */
function mutated(payload: string, choice: Choice): string {
  const text = choice.pick(MUTATIONS)(payload, choice.pick([1, 2, 3, 5, 8]));
  return isPlain(text) ? text : payload;
}

const candidate = (trick: Trick, cmd: string): Candidate => ({
  cmd,
  source: 'tricks',
  class: trick.class,
  form: trick.text,
});
