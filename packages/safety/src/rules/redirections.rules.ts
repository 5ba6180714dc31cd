import type { Command } from '../shell/command.js';
import { has, operandWords, option } from './arguments.js';
import { isDevice, isNew, isSink, isSystem } from './paths.js';
import type { Rule } from './rule.js';

const truncates = (operator: string): boolean =>
  operator === '>' || operator === '>|' || operator === '&>' || operator === '>&';
const isCopyOfDescriptor = (operator: string, target: string): boolean =>
  operator === '>&' && /^(\d+-?|-)$/.test(target);

/**
 * Options that make a program overwrite a file in addition to its main work, as `>` does. If an entry contains a space,
 * the option applies only to the subcommand before the space.
 */
const SIDE_OUTPUTS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  [
    'curl',
    '--trace --trace-ascii --stderr --libcurl --hsts --alt-svc -c --cookie-jar -D --dump-header --etag-save'.split(' '),
  ],
  ['wget', ['-o', '--output-file', '--save-cookies']],
  ['iconv', ['-o', '--output']],
  ['patch', ['-o', '--output', '-r', '--reject-file']],
  ...['rand', 'enc', 'base64', 'dgst', 'zlib', 'smime', 'cms'].map((each): [string, string[]] => [
    `openssl ${each}`,
    ['-out'],
  ]),
  ['strace', ['-o', '--output']],
  ['ltrace', ['-o', '--output']],
  ['tcpdump', ['-w']],
  ['nmap', ['-oN', '-oX', '-oG', '-oA', '-oS']],
  ['psql', ['-o', '--output']],
  ['zip', ['-lf', '--logfile-path']],
]);

export const REDIRECTIONS: readonly Rule[] = [
  {
    id: 'redirect.device',
    title: 'writes to a disk or another device',
    why: 'the data on the device is overwritten byte by byte',
    severity: 'critical',
    matches: (c) =>
      c.redirections.find(
        ({ operator, target }) => (truncates(operator) || operator.includes('>')) && isDevice(target.text),
      )?.target ?? false,
    ignoresDryRun: true,
    stops: ['cat image > /dev/sda', 'echo 1 >/dev/nvme0n1', 'zcat i.gz >> /dev/mmcblk0'],
    passes: ['echo 1 > /dev/null', 'cat /dev/sda | md5sum', 'ls 2>/dev/null', 'echo x > /dev/tty'],
  },
  {
    id: 'redirect.overwrite',
    title: 'overwrites a file',
    why: '> empties the file first',
    severity: 'medium',
    matches: (c) =>
      c.redirections.find(({ operator, target, descriptor }, at) => {
        if (operator === '<>' && (descriptor ?? 0) === 0 && !isDevice(target.text) && !isSink(target.text))
          return c.redirections.slice(at + 1).some((later) => later.operator === '>&' && later.target.text === '0');
        if (!truncates(operator) || isCopyOfDescriptor(operator, target.text)) return false;
        if (target.process !== undefined || isSink(target.text) || isNew(c, target.text)) return false;
        if (/^\/dev\/(tcp|udp)\//.test(target.text)) return false;
        return operator === '>|' || !c.facts.noclobber;
      })?.target ?? false,
    ignoresDryRun: true,
    stops: [
      '> config.yml',
      'echo x > config.yml',
      ': > app.log',
      'cat a b >| c',
      'make &> log',
      'cat > "$X" <<EOF\nhi\nEOF',
      'set -C; echo a >| b',
      'while read l; do echo $l; done > out',
      'echo x <>f >&0',
    ],
    passes: [
      'ls > /dev/null 2>&1',
      'ls >> log',
      't=$(mktemp); ls > "$t"',
      'ls > "$(mktemp)"',
      'set -o noclobber; ls > a',
      '[ -e a ] || echo x > a',
      'pg_dump db > db-$(date +%F).sql',
      'mkdir d && echo x > d/f',
    ],
  },
  {
    id: 'redirect.system',
    title: 'adds to a file that the system or a login reads',
    why: 'an added line there changes what later commands and services do',
    severity: 'high',
    matches: (c) =>
      c.redirections.find(
        ({ operator, target }) =>
          (operator === '>>' || operator === '&>>' || operator === '<>') && isSystem(target.text),
      )?.target ??
      (/^(auto)?ssh$/.test(c.name) && isSystem(option(c, '-E') ?? '')),
    ignoresDryRun: true,
    stops: [
      'echo "1.2.3.4 h" >> /etc/hosts',
      'echo x >> ~/.bashrc',
      'cat k.pub >> ~/.ssh/authorized_keys',
      'ssh -E ~/.bashrc h true',
    ],
    passes: ['echo x >> notes.txt', 'ssh -E log h true', 'date >> ~/log'],
  },
  {
    id: 'redirect.tee',
    title: 'overwrites a file through tee',
    why: 'tee empties the file first',
    severity: 'medium',
    tools: ['tee', 'sponge'],
    matches: (c) =>
      operandWords(c).find(({ text, process }) => {
        if (isSink(text) || process !== undefined) return false;
        return has(c, '-a', '--append') ? isSystem(text) : !isNew(c, text);
      }) ?? false,
    stops: [
      'echo x | tee config.yml',
      'echo x | sudo tee -a /etc/hosts',
      'ls | sponge a',
      'echo 1 | tee /proc/sys/vm/drop_caches',
    ],
    passes: ['ls | tee /dev/stderr', 'ls | tee -a log.txt', 'ls | tee'],
  },
  {
    id: 'redirect.output-option',
    title: 'overwrites a file with its output',
    why: 'the file that the option names is replaced',
    severity: 'medium',
    tools: [
      'sort',
      'gsort',
      'shuf',
      'tree',
      'xxd',
      'uniq',
      'curl',
      'wget',
      'openssl',
      'split',
      'gpg',
      'base64',
      'objcopy',
      'ffmpeg',
      'jq',
    ],
    matches: (c) => {
      const target = outputOf(c);
      if (c.name === 'ffmpeg') return has(c, '-y');
      if (c.name === 'uniq' || c.name === 'xxd')
        return operandWords(c).length > 1 && !isSink(operandWords(c)[1]?.text ?? '-');
      if (target === '' || isSink(target)) return false;
      if (/^(g?sort|shuf)$/.test(c.name)) return true;
      return isSystem(target) && !/\/(keyrings|trusted\.gpg\.d)\//.test(target);
    },
    stops: [
      'sort -o a a',
      'sort --outp a b',
      'sort --out=a b',
      'sort -roa b',
      'curl -o /etc/hosts https://x',
      'wget -O /usr/bin/x https://x',
      'uniq a b',
      'ffmpeg -y -i a b.mp4',
    ],
    passes: [
      'sort a',
      'uniq a',
      'xxd -r a',
      'curl -o page.html https://x',
      'wget https://x/a.tgz',
      'curl -sSL -o /dev/null https://x',
      'ffmpeg -i a.mkv b.mp4',
    ],
  },
  {
    id: 'redirect.trace-option',
    title: 'overwrites a file with a log or report of its own',
    why: 'the file that the option names is emptied first',
    severity: 'medium',
    tools: [...new Set([...SIDE_OUTPUTS.keys()].map((name) => name.replace(/ .*/, '')))],
    matches: (c) => {
      const outputs = SIDE_OUTPUTS.get(c.name) ?? SIDE_OUTPUTS.get(`${c.name} ${c.args[0] ?? ''}`) ?? [];
      const named = option(c.name === 'curl' ? withoutMethods(c) : c, ...outputs);
      // If the command overwrites its own input, another rule gives a better reason.
      const isInput = named !== null && c.args.indexOf(named) !== c.args.lastIndexOf(named);
      if (named !== null && !isInput && !/^-?$/.test(named) && !isSink(named) && !isNew(c, named)) return true;
      return c.name === 'curl' && /%output\{/.test(option(c, '-w', '--write-out') ?? '');
    },
    stops: [
      'curl --trace notes.txt http://h/f',
      'curl -v --stderr log http://h',
      "curl -w '%output{notes.txt}x' http://h",
      'curl --libcurl=a.c http://h',
      'curl --hsts notes.txt http://h',
      'curl -c notes.txt http://h',
      'curl -sD notes.txt http://h',
      'curl --etag-save notes.txt http://h',
      'wget -o notes.txt http://h',
      'iconv -f latin1 -t utf8 a.txt -o b.txt',
      'iconv --output=b.txt a.txt',
      'patch -o b.txt a.txt a.diff',
      'openssl rand -out notes.txt 10',
      'openssl enc -aes256 -in a -out notes.txt',
      'strace -o notes.txt ls',
      'tcpdump -w notes.txt',
      'nmap -oN notes.txt h',
      'zip -lf notes.txt a.zip a.txt',
      "psql -o notes.txt -c 'select 1'",
    ],
    passes: [
      'curl --trace - http://h',
      'curl --stderr /dev/null http://h',
      "curl -w '%{http_code}' http://h",
      'curl -v http://h',
      'curl -D - http://h',
      'curl -b jar http://h',
      'curl -XPROPFIND http://h',
      'iconv -f latin1 -t utf8 a.txt',
      'openssl genrsa -out server.key 2048',
      'openssl x509 -in a.pem -noout',
      'strace -o /dev/null ls',
      'tcpdump -w - port 80',
      "psql -c 'select 1'",
    ],
  },
];

/** Returns the command without the HTTP method, because `-XPROPFIND` is not a cluster of letters. */
const withoutMethods = (c: Command): Command => ({
  ...c,
  args: c.args.filter((arg) => !/^-[a-zA-Z]*X[A-Z]+$/.test(arg)),
});

/** Returns the output file that an option names: `-o f`, `-rof`, `--outp f`, `--output=f`. Empty if there is none. */
function outputOf({ name, args }: Command): string {
  for (const [at, arg] of args.entries()) {
    const [word = '', ...rest] = arg.split('=');
    const isLong = /^(--output-document|-out)$/.test(word) || (word.startsWith('--o') && '--output'.startsWith(word));
    if (isLong) return rest.length > 0 ? rest.join('=') : (args[at + 1] ?? '');
    const cluster = /^-[a-zA-Z]*?[oO](.*)$/.exec(arg);
    if (cluster === null) continue;
    // For other programs it is unknown which letters take a value.
    if (cluster[1] === '') return args[at + 1] ?? '';
    if (/^(g?sort|shuf)$/.test(name) && /^-[bdfghimnMrRsuVcCz]*o/.test(arg)) return arg.slice(arg.indexOf('o') + 1);
  }
  return '';
}
