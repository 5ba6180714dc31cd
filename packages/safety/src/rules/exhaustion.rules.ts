import { has, operands } from './arguments.js';
import { isSink } from './paths.js';
import type { Rule } from './rule.js';

export const EXHAUSTION: readonly Rule[] = [
  {
    id: 'exhaustion.fork',
    title: 'starts processes without end',
    why: 'the machine soon has no room for anything else, and has to be switched off',
    severity: 'critical',
    matches: (c) =>
      c.name.endsWith(' calls itself') ||
      (c.facts.endlessLoop && c.facts.background && !/^(wait|echo|printf|true|:|\[|test)$/.test(c.name)) ||
      (c.snippets.find((s) =>
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
      "perl -e 'fork while fork'",
      "python3 -c 'import os\nwhile True: os.fork()'",
      'bomb() { bomb & bomb; }; bomb',
    ],
    passes: [
      'while true; do date; sleep 1; done',
      'f() { ls; }; f',
      'sleep 5 & wait',
      'for i in 1 2 3; do make & done; wait',
    ],
  },
  {
    id: 'exhaustion.fill',
    title: 'writes without end',
    why: 'the disk fills up, and whatever else writes to it fails',
    severity: 'high',
    matches: (c) => {
      const endless =
        c.input.kind === 'endless' ||
        c.name === 'yes' ||
        (c.name === 'cat' && c.args.some((arg) => /^\/dev\/(zero|u?random)$/.test(arg)));
      if (!endless) return false;
      const target = c.redirections.find(
        ({ operator, target }) => operator.startsWith('>') && !isSink(target.text),
      )?.target;
      if (target !== undefined && !/^(head|dd|tr|pv|openssl)$/.test(c.name)) return target;
      return c.name === 'tee' && operands(c).some((path) => !isSink(path));
    },
    ignoresDryRun: true,
    stops: ['yes >> fill', 'cat /dev/zero > /tmp/fill', 'cat /dev/urandom | tee -a a', 'yes "x" > a'],
    passes: ['yes | head -3', 'cat /dev/zero | head -c 10 | md5sum', 'yes > /dev/null'],
  },
  {
    id: 'exhaustion.load',
    title: 'takes all memory, processors or disk',
    why: 'what else runs on the machine fails or is killed',
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
    matches: (c) => {
      switch (c.name) {
        case 'fallocate':
          return (
            has(c, '-d', '-p', '-c', '-z', '--dig-holes', '--punch-hole', '--collapse-range', '--zero-range', '-i') ||
            /(-l|--length)[ =]?(\d+T|\d{3,}G)/i.test(c.args.join(' '))
          );
        case 'fio':
          return /--(filename|name)?=?\/dev\/|--rw=(rand)?(write|rw|trim)/.test(c.args.join(' '));
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
        case 'stress':
        case 'stress-ng':
        case 'memtester':
        case 'cpuburn':
        case 'burnP6':
          return c.args.length > 0 || /burn/.test(c.name);
        case 'mkfile':
        case 'xfs_mkfile':
        case 'bonnie++':
        case 'iozone':
          return true;
        default:
          return false;
      }
    },
    stops: [
      'stress-ng --vm 8 --vm-bytes 100%',
      'fallocate -l 500G /fill',
      'tail /dev/zero',
      'fallocate -p -o 0 -l 1M disk.img',
      'fio --name=x --filename=/dev/sda --rw=write',
    ],
    passes: ['fallocate -l 1G disk.img', 'tail -f log', 'sort a', 'head -c 32 /dev/urandom', 'stress --help'],
  },
];
