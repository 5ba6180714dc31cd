import { HOLE, NEW, type Command, type Input } from './command.js';

/** A placeholder in a text for downloaded content. Nobody has read that content, so running it is unsafe. */
export const FETCHED = '\uE002';

const FETCHERS = new Set([
  'curl',
  'wget',
  'fetch',
  'aria2c',
  'iwr',
  'irm',
  'Invoke-WebRequest',
  'Invoke-RestMethod',
  'curl.exe',
  'wget2',
  'http',
  'https',
  'xh',
  'lynx',
  'links',
  'w3m',
  'ftp',
  'nc',
  'ncat',
  'netcat',
  'socat',
  'telnet',
  'tftp',
  'gsutil',
  'ipfs',
  'axel',
]);
/** Programs that print a transformed version of their input. */
const FILTERS = new Set([
  'sed',
  'awk',
  'gawk',
  'mawk',
  'grep',
  'egrep',
  'fgrep',
  'head',
  'tail',
  'tr',
  'cut',
  'sort',
  'uniq',
  'jq',
  'yq',
  'envsubst',
  'rev',
  'tac',
  'fold',
  'paste',
  'nl',
  'base64',
  'base32',
  'xxd',
  'gunzip',
  'zcat',
  'bunzip2',
  'unxz',
  'xz',
  'gzip',
  'zstd',
  'openssl',
  'gpg',
  'dos2unix',
  'iconv',
  'perl',
  'python3',
  'python',
  'pv',
  'column',
  'uudecode',
  'xargs',
]);
/** Commands that print one word that is known only on the running system, but that is always a plain word. */
const PLAIN_WORDS: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  pwd: '.',
  nproc: '4',
  whoami: 'user',
  hostname: 'host',
  uname: 'linux',
  id: '1000',
  wc: '1',
  arch: 'x86_64',
  mktemp: `/tmp/tmp.${NEW}`,
  uuidgen: NEW,
  date: NEW,
});

const SETTINGS =
  /^(ssh-agent|gpg-agent|keychain|dircolors|lesspipe(\.sh)?|resize|tset|direnv (hook|export)|brew shellenv|(starship|zoxide|pyenv|rbenv|nodenv|jenv|goenv|tfenv|atuin|fasd|mcfly|navi|fzf|oh-my-posh) ?.*\b(init|hook|--bash|--zsh|virtualenv-init)\b|mise (activate|env)|fnm env|opam env|thefuck --alias|(conda|mamba|micromamba) shell|minikube .*docker-env|docker-machine env|podman machine env|register-python-argcomplete|luarocks path|dbus-launch|pipx completions|\S+ (completion|completions|gen-completions)\b|npm completion|pip completion|helm completion|kubectl completion|gh completion|aws configure export-credentials|assume-role|(az|gcloud) .*completion|poetry env activate|pdm venv activate|locale)\b/;

/** Returns the output of a command, as far as its text shows it. */
export function outputOf(command: Command): Input {
  const { name, args, input, words } = command;
  const word = words[0];
  switch (name) {
    case 'echo':
      return text(
        (args.some((arg, index) => index < 2 && /^-[nE]*e/.test(arg)) ? unescaped : String)(
          args.filter((arg, index) => !(index < 2 && /^-[neE]+$/.test(arg))).join(' '),
        ),
      );
    case 'printf':
      return text(printed(args));
    case 'cat':
    case 'tee':
    case 'pv':
      if (args.some((arg) => /^\/dev\/(zero|u?random|full)$/.test(arg))) return { kind: 'endless' };
      if (name === 'cat' && args.some((arg) => arg !== '-' && !arg.startsWith('-'))) {
        return command.facts.fetched.has(args[0] ?? '') ? { kind: 'fetched' } : { kind: 'file' };
      }
      return input;
    case 'cd':
    case 'true':
    case ':':
    case 'sleep':
    case 'set':
    case 'export':
    case 'test':
    case '[':
    case 'mkdir':
      return { kind: 'none' };
    case '': // `$(< file)`
      return command.redirections.some(({ operator }) => operator === '<') ? input : { kind: 'none' };
    case 'stat':
      return args.some((arg) => /^(-c|--format=|--printf=)?['"]?%[sYXZWhugdibB]$/.test(arg))
        ? text('1')
        : { kind: 'opaque' };
    case 'tr':
      if (input.kind !== 'endless' && /^-d?cd? [0-9-]+$|^-dc \[?:digit:\]?$/.test(args.join(' '))) return text('1');
      break;
    case 'yes':
      return { kind: 'endless' };
    case 'which':
    case 'command':
    case 'type':
    case 'realpath':
    case 'readlink':
    case 'basename':
      return text(args.filter((arg) => !arg.startsWith('-'))[0] ?? HOLE);
    default:
  }
  if (FETCHERS.has(name)) return { kind: 'fetched' };
  if (name === 'head' && input.kind === 'endless') return { kind: 'opaque' };
  if (FILTERS.has(name)) return input.kind === 'fetched' || input.kind === 'endless' ? input : { kind: 'opaque' };
  // These programs print shell settings that are meant for `eval`.
  if (SETTINGS.test([name, ...args].join(' '))) return { kind: 'none' };
  const plain = PLAIN_WORDS[name];
  return plain === undefined ? { kind: 'opaque' } : text(plain);

  function text(value: string): Input {
    return {
      kind: 'text',
      text: value,
      word: word ?? { text: value, source: command.source, pos: command.pos, end: command.end, glob: false },
    };
  }
}

/** Replaces escapes like `\\n`, `\\x72` and `\\0162` as printf and `echo -e` do. */
const unescaped = (value: string): string =>
  value.replace(/\\(n|t|x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|0?[0-7]{1,3}|\\)/g, (_, code: string) => {
    if (code === 'n') return '\n';
    if (code === 't') return '\t';
    if (code === '\\') return '\\';
    return String.fromCharCode(/^[xu]/.test(code) ? Number.parseInt(code.slice(1), 16) : Number.parseInt(code, 8));
  });

/** Returns the output of `printf` with its simple directives. */
function printed([format = '', ...values]: readonly string[]): string {
  if (format === '--') return printed(values);
  let next = 0;
  const once = (): string =>
    unescaped(
      format.replace(/%[-0-9.]*[sbqd]/g, () => {
        const value = values[next] ?? '';
        next += 1;
        return value;
      }),
    );
  let out = once();
  const perRound = next;
  const rounds = perRound === 0 ? 0 : Math.min(16, Math.ceil(values.length / perRound) - 1);
  for (let round = 0; round < rounds; round += 1) out += once();
  return out;
}

/** Returns the combined output of a list of commands. */
export function together(outputs: readonly Input[]): Input {
  const kept = outputs.filter((output) => output.kind !== 'none');
  const first = kept[0];
  if (first === undefined) return { kind: 'none' };
  if (kept.length === 1) return first;
  for (const kind of ['fetched', 'endless', 'opaque', 'file'] as const) {
    const found = kept.find((output) => output.kind === kind);
    if (found !== undefined) return found;
  }
  if (first.kind !== 'text') return first;
  return { ...first, text: kept.map((output) => (output.kind === 'text' ? output.text : '')).join('\n') };
}

/** Returns the known part of an output when it becomes part of a word. */
export function substituted(output: Input): string {
  if (output.kind === 'text') return output.text.replace(/\n+$/, '');
  if (output.kind === 'none') return '';
  return output.kind === 'fetched' ? FETCHED : HOLE;
}

export const isUnresolved = (text: string): boolean => text.includes(HOLE) || text.includes(FETCHED);
