/** One request to `ssh`, read from its arguments as OpenSSH reads them. */
export interface SshRequest {
  /** The host as written: a name or an address. */
  readonly host: string;
  readonly user: string | null;
  readonly port: number | null;
  /** The command line for the host's shell, or the name of a subsystem. */
  readonly command: string;
  readonly subsystem: boolean;
  readonly stdin: boolean;
}

/** A request that aish refuses, with the reason. */
export interface NoRequest {
  readonly refused: string;
}

const VALUED = new Set('BbcDEeFIiJLlmOoPpQRSWw');
/**
 * Options that have no effect here, because what they turn off is already off, or because aish has fixed what they
 * select.
 */
const IDLE = new Set('aCkqTvx46');
const WHY_NOT: Readonly<Record<string, string>> = {
  t: 'there are no interactive sessions; give a command that needs no terminal',
  D: 'nothing is forwarded',
  L: 'nothing is forwarded',
  R: 'nothing is forwarded',
  W: 'nothing is forwarded',
  w: 'nothing is forwarded',
  X: 'nothing is forwarded',
  Y: 'nothing is forwarded',
  A: 'there is no agent',
  J: 'aish reaches hosts directly; an admin must add any other host',
  N: 'it needs a command',
  f: 'it needs to be waited for',
  i: 'keys are not used here: aish signs in. Leave -i out',
  F: 'there are no settings to read; an admin configures hosts',
};
/** Settings that do not change the request. Most of them come from rsync, scp, git and ansible. */
const SETTINGS =
  /^(PermitLocalCommand=no|ClearAllForwardings=yes|RemoteCommand=none|RequestTTY=(no|false)|Forward(Agent|X11)=no|SendEnv=.*|BatchMode=.*|Connect(Timeout|ionAttempts)=\d+|StrictHostKeyChecking=.*|(User|Global)KnownHostsFile=.*|ServerAlive\w+=\d+|LogLevel=.*|Control(Master|Path|Persist)=.*|(Password|KbdInteractive|GSSAPI|Pubkey)Authentication=.*|PreferredAuthentications=.*|Compression=.*|NumberOfPasswordPrompts=\d+|TCPKeepAlive=.*)$/i;

type Options = Pick<SshRequest, 'user' | 'port' | 'subsystem' | 'stdin'>;

/** Returns the request that `ssh` would make with these arguments, or the reason why aish refuses it. Pure. */
export function sshRequest(argv: readonly string[]): SshRequest | NoRequest {
  // Program arguments cannot contain a NUL, but a client that talks to the socket directly can send one.
  if (argv.some((word) => word.includes('\0'))) return { refused: 'it contains a NUL character' };
  let options: Options = { user: null, port: null, subsystem: false, stdin: true };
  const rest = [...argv];
  let host: string | undefined;
  for (;;) {
    while (rest[0]?.startsWith('-') === true && rest[0] !== '-') {
      const word = rest.shift() ?? '';
      if (word === '--') break;
      const read = readOption(word, rest, options);
      if ('refused' in read) return read;
      options = read;
    }
    if (host !== undefined) break;
    host = rest.shift();
    if (host === undefined) return { refused: 'it names no host' };
  }
  const place = /^(?:ssh:\/\/)?(?:([^@/]+)@)?\[?([^[\]@/]+?)\]?(?::(\d+))?\/?$/.exec(host);
  const isUrl = host.startsWith('ssh://');
  if (place === null || (!isUrl && place[3] !== undefined)) return { refused: `${host} is not a host` };
  const command = rest.join(' ');
  if (command.trim() === '')
    return { refused: 'there are no interactive sessions; give the command that is to run there' };
  return {
    ...options,
    host: place[2] ?? '',
    user: place[1] ?? options.user,
    port: place[3] === undefined ? options.port : Number(place[3]),
    command,
  };
}

/** Reads one word of options, such as `-qp22`. If an option has no value in the word, it takes the next word. */
function readOption(word: string, rest: string[], before: Options): Options | NoRequest {
  let options = before;
  for (let at = 1; at < word.length; at += 1) {
    const letter = word.charAt(at);
    const why = WHY_NOT[letter];
    if (why !== undefined) return { refused: why };
    if (VALUED.has(letter)) {
      const value = word.slice(at + 1) || rest.shift();
      return value === undefined ? { refused: `-${letter} needs a value` } : withValue(letter, value, options);
    }
    if (letter === 'n') options = { ...options, stdin: false };
    else if (letter === 's') options = { ...options, subsystem: true };
    else if (!IDLE.has(letter)) return { refused: `aish does not know -${letter} of ssh` };
  }
  return options;
}

function withValue(letter: string, value: string, options: Options): Options | NoRequest {
  if (letter === 'l') return { ...options, user: value };
  if (letter === 'p' && /^\d{1,5}$/.test(value)) return { ...options, port: Number(value) };
  if (letter !== 'o') return { refused: `aish does not do -${letter} of ssh` };
  const [, name = '', set = ''] = /^\s*(\w+)\s*[=\s]\s*"?(.*?)"?\s*$/.exec(value) ?? [];
  if (/^user$/i.test(name)) return { ...options, user: set };
  if (/^port$/i.test(name) && /^\d{1,5}$/.test(set)) return { ...options, port: Number(set) };
  if (SETTINGS.test(`${name}=${set}`)) return options;
  return { refused: `aish does not take the setting ${name || value} of ssh` };
}
