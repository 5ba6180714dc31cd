import type { Command } from '../shell/command.js';
import { exact, has, operands } from './arguments.js';
import { isSink } from './paths.js';
import type { Rule } from './rule.js';

export const EXHAUSTION: readonly Rule[] = [
  {
    id: 'exhaustion.fork',
    title: 'starts an endless number of processes',
    why: 'the machine soon cannot do anything else and must be switched off',
    severity: 'critical',
    matches: (c) =>
      c.name.endsWith(' calls itself') ||
      (c.facts.endlessLoop && c.facts.background && !/^(wait|echo|printf|true|:|\[|test)$/.test(c.name)) ||
      (c.facts.endlessLoop && /^(mkdir|fallocate|mktemp|touch)$/.test(c.name)) ||
      (c.snippets.find(
        (s) =>
          /\bwhile\s*\(\s*(1|true)\s*\)[^}]{0,200}\b(spawn|fork|exec)\w*\s*\(/.test(s.skeleton) ||
          /\bwhile\s+(1|True)\s*:\s*[^\n]*(\.append\(|\+=|\*=|bytearray\()/.test(s.skeleton) ||
          /"\d+"\s*(?:\*|x)\s*(?:10\s*\*\*\s*(?:9|1\d)|1e(?:9|1\d)|\d{10,})\b/.test(s.skeleton) ||
          /\bwhile\s*\(?\s*(1|true|True)\b[^\n]*fork\b|\bfork\b[^;\n]*\bwhile\s*\(?1?|loop\s*(do|\{)\s*fork|fork\s+while\s+(fork|1|true)|while\s+(True|1)\s*:\s*[^\n]*(os\.)?fork\(|while\s*\(true\)[^}]*spawn/.test(
            s.skeleton,
          ),
      )?.word ??
        false),
    ignoresDryRun: true,
    stops: [
      ':(){ :|:& };:',
      'f() { f | f & }; f',
      'while true; do yes & done',
      'for i in $(seq 1 100000); do touch f$i; done',
      "perl -e 'fork while fork'",
      "python3 -c 'import os\nwhile True: os.fork()'",
      'bomb() { bomb & bomb; }; bomb',
      'for i in {1..100000}; do sleep 1000 & done',
      'while :; do mkdir x; cd x; done',
    ],
    passes: [
      'while true; do date; sleep 1; done',
      'f() { ls; }; f',
      'sleep 5 & wait',
      'for i in 1 2 3; do make & done; wait',
    ],
  },
  {
    id: 'exhaustion.spin',
    title: 'uses a processor or memory without end',
    why: 'it continues unnoticed until someone finds and stops it',
    severity: 'medium',
    matches: (c) => {
      // In a terminal, the user sees the program and can stop it with Ctrl-C. In the background, nobody sees it.
      if (c.facts.background && (c.name === 'yes' || (c.facts.endlessLoop && /^(true|:)$/.test(c.name)))) return true;
      // These programs keep their whole input in memory until it ends.
      return c.input.kind === 'endless' && /^(tail|sort|tac|rev|sponge|wc|shuf|column|jq)$/.test(c.name);
    },
    ignoresDryRun: true,
    stops: ['yes > /dev/null &', 'while true; do :; done &', "yes | tr -d '\\n' | tail", 'yes | sort'],
    passes: ['yes | head -3 | sort', 'while :; do date; sleep 5; done', 'yes | apt-get install -y nginx', 'sleep 9 &'],
  },
  {
    id: 'exhaustion.fill',
    title: 'writes without end',
    why: 'the disk fills up, and all other programs that write to it fail',
    severity: 'high',
    matches: (c) => {
      const endless =
        c.input.kind === 'endless' ||
        c.name === 'yes' ||
        (c.name === 'cat' && c.args.some((arg) => /^\/dev\/(zero|u?random)$/.test(arg)));
      if (c.facts.unpacedLoop && (c.name === 'cp' || (c.name === 'dd' && c.redirections.length > 0))) return true;
      if (!endless && !c.facts.unpacedLoop) return false;
      const target = c.redirections.find(
        ({ operator, target }) => operator.startsWith('>') && !isSink(target.text),
      )?.target;
      if (target !== undefined && !/^(head|dd|tr|pv|openssl)$/.test(c.name)) return target;
      return c.name === 'tee' && operands(c).some((path) => !isSink(path));
    },
    ignoresDryRun: true,
    stops: [
      'yes >> fill',
      'cat /dev/zero > /tmp/fill',
      'cat /dev/urandom | tee -a a',
      'yes "x" > a',
      'while true; do echo x >> big; done',
      'while :; do date; done >> log',
      'for ((;;)); do echo a | tee -a f; done',
      'until false; do cp big big.$RANDOM; done',
      'while [ 1 ]; do date >> log; done',
      'while ((1)); do echo x >> f; done',
      'while [[ 1 ]]; do echo x >> f; done',
      'until ! true; do echo x >> f; done',
      'for ((;1;)); do echo x >> f; done',
      'while true; do dd if=/dev/zero bs=1M count=10 >> f; done',
    ],
    passes: [
      'while true; do date >> t.log; sleep 60; done',
      'while true; do date; done',
      'while [ "$1" ]; do echo "$1" >> f; shift; done',
      'until true; do echo x >> f; done',
      'while ((n--)); do echo x >> f; done',
      'while true; do read l; echo "$l" >> f; done',
      'while true; do curl -s x >> f; test -e y && break; done',
      'yes | head -3',
      'cat /dev/zero | head -c 10 | md5sum',
      'yes > /dev/null',
    ],
  },
  {
    id: 'exhaustion.load',
    title: 'uses up memory, processors or disk space',
    why: 'other programs on the machine fail or are killed',
    severity: 'medium',
    tools: [
      'stress',
      'stress-ng',
      'fallocate',
      'xfs_mkfile',
      'mkfile',
      'tail',
      'sort',
      'fio',
      'bonnie++',
      'memtester',
      'sysbench',
      'iozone',
      'cpuburn',
      'burnP6',
      'ping',
      'ping6',
      'hey',
      'wrk',
      'ab',
      'siege',
      'sha1sum',
      'sha256sum',
      'md5sum',
      'wc',
      'head',
      'base64',
      'xxd',
      'seq',
      'tr',
    ],
    matches: (c) => fills(c) || loads(c),
    stops: [
      'stress-ng --vm 8 --vm-bytes 100%',
      'fallocate -l 500G /fill',
      'tail /dev/zero',
      'fallocate -p -o 0 -l 1M disk.img',
      'fio --name=x --filename=/dev/sda --rw=write',
      'ping -f 10.0.0.1',
      'ab -n 1000000 -c 1000 http://x/',
    ],
    passes: ['fallocate -l 1G disk.img', 'tail -f log', 'sort a', 'head -c 32 /dev/urandom', 'stress --help'],
  },
];

/** Whether the command uses up the disk space or the memory. */
function fills(c: Command): boolean {
  switch (c.name) {
    case 'fallocate':
      return (
        has(c, '-d', '-p', '-c', '-z', '--dig-holes', '--punch-hole', '--collapse-range', '--zero-range', '-i') ||
        /(-l|--length)[ =]?(\d+T|\d{3,}G|\S*\uE000)/i.test(c.args.join(' '))
      );
    case 'fio':
      return /--(rw|readwrite)=(rand)?(write|rw|trim)|--(filename|name)?=?\/dev\/(?!.*--(rw|readwrite)=(rand)?read\b)(?<!--(rw|readwrite)=(rand)?read\b.*)/.test(
        c.args.join(' '),
      );
    case 'tail':
    case 'sort':
    case 'wc':
    case 'base64':
    case 'xxd':
    case 'sha1sum':
    case 'sha256sum':
    case 'md5sum':
      return c.args.some((arg) => /^\/dev\/(zero|u?random)$/.test(arg)) && !has(c, '-l', '-c', '-n');
    case 'seq':
      return operands(c).some((word) => /^\d{11,}$|^inf/.test(word));
    default:
      return false;
  }
}

/** Whether the command keeps a processor, a disk or a network busy. */
function loads(c: Command): boolean {
  switch (c.name) {
    case 'stress':
    case 'stress-ng':
    case 'memtester':
    case 'cpuburn':
    case 'burnP6':
      return (c.args.length > 0 && !exact(c, '--dry-run', '-n')) || /burn/.test(c.name);
    case 'ping':
    case 'ping6':
      return c.args.some((arg) => /^-[a-zA-Z46]*f[a-zA-Z]*$/.test(arg) || arg === '--flood');
    case 'ab':
    case 'hey':
    case 'wrk':
    case 'siege':
      return c.args.some((arg, at) => /^-(n|c)$/.test(c.args[at - 1] ?? '') && /^(\d{6,}|[1-9]\d{3,})$/.test(arg));
    case 'mkfile':
    case 'xfs_mkfile':
    case 'bonnie++':
    case 'iozone':
      return true;
    default:
      return false;
  }
}
