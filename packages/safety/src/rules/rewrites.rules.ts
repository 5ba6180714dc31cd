import type { Command } from '../shell/command.js';
import { operandWords } from './arguments.js';
import { isSink } from './paths.js';
import type { Rule } from './rule.js';

const STDOUT_ONLY = new Set(['-', '/dev/stdin']);

export const REWRITES: readonly Rule[] = [
  {
    id: 'files.output-over-input',
    title: 'overwrites its input with its result',
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
    passes: ['xmllint --format a.xml --output b.xml', 'convert a.png b.png', 'gcc a.c -o a'],
  },
];

const WITH_OUTPUT = new Set(
  'iconv xmllint openssl pandoc qpdf sops yq protoc xsltproc gpg age cwebp minify terser uglifyjs esbuild cleancss svgo sass lessc csvformat gs img2pdf envsubst pngquant jpegtran exiftool xmlstarlet mdformat html-minifier base64 tidy'.split(
    ' ',
  ),
);
const CONVERTERS = new Set('convert magick ddrescue pdftk gs ffmpeg sox pandoc uniq img2pdf'.split(' '));

const outputOption = (c: Command): string | null => {
  const at = c.args.findIndex((arg) => /^(-o|--output|--out|-output|-out)$/.test(arg));
  if (at !== -1) return c.args[at + 1] ?? null;
  const attached = c.args.find((arg) => /^--(output|out|output-file)=/.test(arg));
  return attached === undefined ? null : attached.slice(attached.indexOf('=') + 1);
};
