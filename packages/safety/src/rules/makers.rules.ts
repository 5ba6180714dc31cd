import { HOLE, type Command } from '../shell/command.js';
import { has, operands, option } from './arguments.js';
import { isDevice, isNew, isSink, isSystem } from './paths.js';
import type { Rule } from './rule.js';

/** The file that a program creates, and the usual names for such files. */
interface Maker {
  readonly makes: (c: Command) => string | null;
  readonly usual: RegExp;
}

const ARCHIVE =
  /\.(tar|t?gz|tbz2?|txz|tzst|bz2|xz|zst|lz4?|lzma|br|cpio|zip|jar|war|whl|7z|snap|bak|backup|old|bundle|pack)(\.\w+)?$/i;
const PROGRAM =
  /\.(o|a|so(\.\d+)*|out|exe|elf|bin|dll|dylib|wasm|lo|obj|pch|gch|i|s|asm|bc|ll|rlib|hex|efi|ko|map|test|\d+)$/i;
const KEY = /\.(key|pem|crt|cert?|csr|der|p12|pfx|p7[bcs]|srl|crl|pub|sig|enc|bin|dat|ts[qr])$/i;
const PROFILE = /\.(prof|profile|pstats|cprof|stats?|out|dat|bin)$/i;

const compiler: Maker = { makes: (c) => (has(c, '-fsyntax-only') ? null : option(c, '-o')), usual: PROGRAM };
const MAKERS: Readonly<Record<string, Maker>> = {
  ...each('tar gtar bsdtar', { makes: createdByTar, usual: ARCHIVE }),
  ...each('gcc cc g++ c++ clang clang++ ld as rustc gfortran', compiler),
  git: { makes: createdByGit, usual: ARCHIVE },
  zip: { makes: (c) => option(c, '-O', '--out', '--output-file'), usual: ARCHIVE },
  openssl: { makes: (c) => longOption(c, '-out'), usual: KEY },
  // Python modules, run with `python3 -m`.
  ...each('zipfile tarfile', { makes: (c) => option(c, '-c', '--create'), usual: ARCHIVE }),
  ...each('cProfile profile', { makes: (c) => option(c, '-o', '--outfile'), usual: PROFILE }),
  'json.tool': { makes: (c) => operands(c)[1] ?? null, usual: /^-$/ },
};

/**
 * Rules for programs that create a file. A command is stopped if the name of the file suggests another kind of file.
 */
export const MAKERS_RULES: readonly Rule[] = [
  {
    id: 'files.make-over',
    title: 'creates a file whose name suggests another kind of file',
    why: 'an existing file with that name is replaced',
    severity: 'medium',
    tools: Object.keys(MAKERS),
    matches: (c) => {
      const maker = MAKERS[c.name];
      const path = maker?.makes(c) ?? '';
      if (maker === undefined || path === '' || isSink(path) || isDevice(path) || isNew(c, path)) return false;
      if (path.includes(HOLE) || maker.usual.test(path)) return false;
      return /[^/]\.\w{1,8}$/.test(path) || isSystem(path);
    },
    stops: [
      'tar cf keep.txt a.txt',
      'tar -czf keep.txt a',
      'tar --create --file=keep.txt a',
      'git archive -o old.log HEAD',
      'git bundle create keep.txt HEAD',
      'zip -O keep.txt a.zip b',
      'gcc -o main.c a.c',
      'openssl genrsa -out notes.txt 2048',
      'python3 -m zipfile -c keep.txt a',
      'python3 -mtarfile -ckeep.txt a',
      'python3 -m cProfile -o keep.txt x.py',
      'python3 -m json.tool a.json b.json',
      'tar cf /etc/passwd a',
    ],
    passes: [
      'tar cf a.tar b',
      'tar czf /backup/home.tar.gz /home',
      'tar cf backup b',
      'tar cf - b',
      'tar cf /dev/null b',
      'tar tf keep.txt',
      'tar xf keep.txt',
      'git archive -o a.zip HEAD',
      'git bundle create a.bundle HEAD',
      'gcc -o main main.c',
      'gcc -c -o main.o main.c',
      'openssl genrsa -out server.key 2048',
      'python3 -m zipfile -c a.zip b',
      'python3 -m zipfile -l keep.txt',
      'python3 -m json.tool a.json',
      'tar czf "$1" b',
    ],
  },
];

function each(names: string, maker: Maker): Readonly<Record<string, Maker>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, maker]));
}

/** Returns the archive that tar creates: `tar cf a`, `tar -czf a`, `tar --create --file=a`. */
function createdByTar(c: Command): string | null {
  const [mode = '', ...rest] = c.args;
  const old = /^[a-zA-Z]+$/.test(mode) ? mode : null;
  if (!(old ?? '').includes('c') && !has(c, '-c', '--create')) return null;
  if (old?.includes('f') === true)
    return (
      rest[
        old
          .split('')
          .filter((letter) => /[fbCTXIKFNgLV]/.test(letter))
          .indexOf('f')
      ] ?? null
    );
  return option(c, '-f', '--file');
}

function createdByGit(c: Command): string | null {
  const [verb, second, path] = operands(c);
  if (verb === 'archive') return option(c, '-o', '--output');
  return verb === 'bundle' && second === 'create' ? (path ?? null) : null;
}

/** Returns the value of an option, for programs whose long options begin with one dash. */
function longOption({ args }: Command, name: string): string | null {
  const at = args.indexOf(name);
  return at === -1 ? null : (args[at + 1] ?? null);
}
