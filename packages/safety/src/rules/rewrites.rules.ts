import { baseName, type Command } from '../shell/command.js';
import { exact, has, operandWords, operands } from './arguments.js';
import { isSink } from './paths.js';
import type { Rule } from './rule.js';

const STDOUT_ONLY = new Set(['-', '/dev/stdin']);

export const REWRITES: readonly Rule[] = [
  {
    id: 'files.compress',
    title: 'replaces files by compressed ones, or the other way round',
    why: 'the file that went in is deleted',
    severity: 'low',
    tools: [
      'gzip',
      'pigz',
      'gunzip',
      'bzip2',
      'pbzip2',
      'bunzip2',
      'xz',
      'pixz',
      'unxz',
      'lzma',
      'unlzma',
      'lzip',
      'lzop',
      'compress',
      'uncompress',
      'zstd',
      'unzstd',
      'lz4',
      'brotli',
      'gpg-zip',
    ],
    matches: (c) => compresses(c),
    stops: [
      'gzip file',
      'gunzip file.gz',
      'xz -d file.xz',
      'bzip2 a b',
      'zstd --rm file',
      'gzip -f x',
      'pigz -9 dump.sql',
    ],
    passes: [
      'gzip -k file',
      'gzip -c file',
      'gzip',
      'gunzip -c f.gz',
      'gzip -t f.gz',
      'xz -l f.xz',
      'zstd f',
      'zstd -d f.zst',
      'gzip -dk f.gz',
      'cat f | gzip',
      'xz --keep f',
    ],
  },
  {
    id: 'files.output-over-input',
    title: 'writes its result over what it reads',
    why: 'input and output are the same file, so the old content is gone',
    severity: 'medium',
    matches: (c) => {
      const words = operandWords(c);
      const out = WITH_OUTPUT.has(c.name) ? outputOption(c) : null;
      if (out !== null)
        return (
          !STDOUT_ONLY.has(out) &&
          !isSink(out) &&
          c.args.filter((arg) => arg === out || arg.endsWith(`=${out}`)).length > 1
        );
      const [first, last] = [words.at(-2), words.at(-1)];
      return CONVERTERS.has(c.name) && first !== undefined && last !== undefined && first.text === last.text
        ? last
        : false;
    },
    stops: ['iconv -f latin1 -t utf8 a.txt -o a.txt', 'convert a.png a.png', 'xmllint --format a.xml --output a.xml'],
    passes: ['iconv -f latin1 -t utf8 a.txt -o b.txt', 'convert a.png b.png', 'gcc a.c -o a'],
  },
];

const WITH_OUTPUT = new Set(
  'iconv xmllint openssl pandoc qpdf sops yq protoc xsltproc gpg age cwebp minify terser uglifyjs esbuild cleancss svgo sass lessc csvformat gs img2pdf envsubst pngquant jpegtran exiftool xmlstarlet mdformat html-minifier base64 tidy'.split(
    ' ',
  ),
);
const CONVERTERS = new Set([
  'convert',
  'magick',
  'ddrescue',
  'pdftk',
  'gs',
  'ffmpeg',
  'sox',
  'pandoc',
  'uniq',
  'img2pdf',
]);

const outputOption = (c: Command): string | null => {
  const at = c.args.findIndex((arg) => /^(-o|--output|--out|-output|-out)$/.test(arg));
  if (at !== -1) return c.args[at + 1] ?? null;
  const attached = c.args.find((arg) => /^--(output|out|output-file)=/.test(arg));
  return attached === undefined ? null : attached.slice(attached.indexOf('=') + 1);
};

function compresses(c: Command): boolean {
  const files = operands(c).filter((word) => word !== '-');
  const name = baseName(c.name);
  if (files.length === 0 || has(c, '-c', '--stdout', '--to-stdout', '-t', '--test', '-l', '--list', '-V', '--version'))
    return false;
  if (/^(zstd|unzstd|brotli)$/.test(name))
    return has(c, '--rm', '-f', '--force', '-j') && !(name !== 'brotli' && exact(c, '-j'));
  if (name === 'lz4') return has(c, '--rm', '-f', '--force');
  if (name === 'lzop') return has(c, '-U', '-f');
  return !has(c, '-k', '--keep');
}
