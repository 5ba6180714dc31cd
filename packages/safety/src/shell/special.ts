import { HOLE, baseName, isFilled, joined, type Input, type Word } from './command.js';
import { readCodeOptions } from './code-options.js';
import { cloned, git, lastPart } from './git.js';
import { recipes } from './recipes.js';
import { FETCHED } from './outputs.js';
import type { Reader, Run } from './reading.js';
import { runInput, runShell } from './shells.js';
import { calculator, macros, spooler, watched } from './small-programs.js';
import { screen, tmux } from './terminals.js';

type Special = (reader: Reader, run: Run) => Input;

/** Programs that run other programs in a way that the table of options cannot express. */
export const SPECIAL: ReadonlyMap<string, Special> = new Map<string, Special>([
  ['find', find],
  ['fd', fd],
  ['fdfind', fd],
  ['parallel', parallel],
  ['at', later],
  ['batch', later],
  ['tmux', tmux],
  ['screen', screen],
  ['tar', archive],
  ['gtar', archive],
  ['rsync', remoteShell],
  ['scp', remoteShell],
  ['sftp', remoteShell],
  ['ln', renamedProgram],
  ['cp', renamedProgram],
  ['install', renamedProgram],
  ['ansible', ansible],
  ['salt', salt],
  ['salt-call', salt],
  ['curl', download],
  ['wget', download],
  ['aria2c', download],
  ['git', git],
  ['yadm', yadm],
  ['gh', checkedOut],
  ['glab', checkedOut],
  ['hg', checkedOut],
  ['svn', checkedOut],
  ['pip', packaged],
  ['pip3', packaged],
  ['cargo', packaged],
  ['go', packaged],
  ['unzip', unpack],
  ['zip', zip],
  ['dc', calculator],
  ['rpm', macros],
  ['rpmquery', macros],
  ['rpmbuild', macros],
  ['rpmspec', macros],
  ['pidstat', watched],
  ['ts', spooler],
  ['less', pager],
  ['more', pager],
  ['man', pager],
  ['mkdir', make],
  ['tee', tee],
  ['mise', plainRun],
  ['repo', forall],
  ['capsh', capsh],
  ['start-stop-daemon', daemon],
  ['socat', addresses],
  ['make', recipes],
  ['gmake', recipes],
]);

function find(reader: Reader, run: Run): Input {
  const output = reader.emit(run);
  const words = run.words.map(filled);
  for (let at = 1; at < words.length; at += 1) {
    if (!/^-(exec|execdir|ok|okdir)$/.test(words[at]?.text ?? '')) continue;
    const rest = words.slice(at + 1);
    const end = rest.findIndex(({ text }, index) => text === ';' || (text === '+' && rest[index - 1]?.text === HOLE));
    const command = end === -1 ? rest : rest.slice(0, end);
    if (command.length > 0) reader.run({ ...run, redirections: [], words: command });
    at += command.length;
  }
  return output;
}

function fd(reader: Reader, run: Run): Input {
  const output = reader.emit(run);
  const words = run.words.map((word) => ({ ...word, text: word.text.replace(/\{(\/\/?|\.|\/\.)?\}/g, HOLE) }));
  // The option may be in a cluster, attached to its command, or abbreviated: `-Hx`, `-xrm`, `--exec=rm`.
  const at = words.findIndex(({ text }, index) => index > 0 && (FD_EXEC.test(text) || text.startsWith('--exec')));
  const option = words[at];
  const attached = option === undefined ? '' : option.text.replace(/^--[\w-]+=?|^-[a-zA-Z]*?[xX]/, '');
  const program = option !== undefined && attached !== '' ? [{ ...option, text: attached }] : [];
  const [first, ...rest] = at === -1 ? [] : [...program, ...words.slice(at + 1)];
  if (first === undefined) return output;
  const marked = [first, ...rest].some(({ text }) => text.includes(HOLE));
  reader.run({
    ...run,
    redirections: [],
    words: marked ? [first, ...rest] : [first, ...rest, { ...first, text: HOLE }],
  });
  return output;
}

/** Letters before `x` that take no value. */
const FD_EXEC = /^-[HIupsigFalL0q1h]*[xX]/;

function parallel(reader: Reader, run: Run): Input {
  const output = reader.emit(run);
  const takes =
    /^(-j|-a|-I|-n|-N|-L|-S|-P|--jobs|--arg-file|--delay|--timeout|--retries|--joblog|--results|--colsep|--tmpdir|--sshlogin)$/;
  let at = 1;
  while ((run.words[at]?.text ?? '').startsWith('-')) at += takes.test(run.words[at]?.text ?? '') ? 2 : 1;
  if (run.words.slice(1, at).some(({ text }) => /^--dry-?run$/.test(text))) return output;
  const rest = run.words.slice(at);
  const list = rest.findIndex(({ text }) => /^:::{1,2}\+?$/.test(text));
  const command = list === -1 ? rest : rest.slice(0, list);
  if (isFilled(command)) {
    const word = joined(command);
    return reader.code({ ...word, text: `${word.text.replace(/\{[^{}\s]*\}/g, HOLE)} ${HOLE}` }, run.input);
  }
  for (const word of list === -1 ? [] : rest.slice(list + 1)) reader.code(word, { kind: 'none' });
  return list === -1 ? runInput(reader, run, []) : output;
}

/** Reads `start-stop-daemon --start --exec /bin/rm -- x`, which runs `/bin/rm x`. */
function daemon(reader: Reader, run: Run): Input {
  const output = reader.emit(run);
  const at = run.words.findIndex(({ text }) => /^(-x|--exec|-a|--startas)$/.test(text));
  const program = at === -1 ? undefined : run.words[at + 1];
  const end = run.words.findIndex(({ text }) => text === '--');
  if (program !== undefined && run.words.some(({ text }) => /^(-S|--start)$/.test(text)))
    reader.run({ ...run, redirections: [], words: [program, ...(end === -1 ? [] : run.words.slice(end + 1))] });
  return output;
}

function later(reader: Reader, run: Run): Input {
  reader.emit(run);
  if (run.words.some(({ text }) => /^-[a-z]*[lrdcf]/.test(text))) return { kind: 'none' };
  return runInput(reader, run, []);
}

/** Reads options of archivers that run shell text, such as `tar --checkpoint-action=exec=…`. */
function archive(reader: Reader, run: Run): Input {
  const output = reader.emit(run);
  run.words.forEach((word, index) => {
    const match =
      /^(?:--checkpoint-action=exec=|--to-command=|--use-compress-program=|--info-script=|--new-volume-script=)([\s\S]*)$/.exec(
        word.text,
      );
    const separate = /^(-I|-F|--to-command|--use-compress-program|--checkpoint-action)$/.test(word.text)
      ? run.words[index + 1]
      : undefined;
    const code = match?.[1] ?? separate?.text.replace(/^exec=/, '');
    if (code !== undefined && code !== '') reader.code({ ...(separate ?? word), text: code }, { kind: 'none' });
  });
  unpacked(reader, run);
  return output;
}

/** Reads `zip -T -TT cmd`, which tests the archive with the given command. */
function zip(reader: Reader, run: Run): Input {
  run.words.forEach((word, at) => {
    if (/^(-TT|--unzip-command)$/.test(run.words[at - 1]?.text ?? '')) reader.code(word, { kind: 'none' });
    const attached = /^--unzip-command=([\s\S]+)$/.exec(word.text)?.[1];
    if (attached !== undefined) reader.code(word, { kind: 'none' }, attached);
  });
  return reader.emit(run);
}

/** Reads `less +!cmd`, which runs a command when it opens. */
function pager(reader: Reader, run: Run): Input {
  run.words.forEach((word, at) => {
    if (word.text.startsWith('+!')) reader.code(word, { kind: 'none' }, word.text.slice(2));
    const isPager = run.words[0]?.text.endsWith('man') === true && /^(-P|--pager)$/.test(run.words[at - 1]?.text ?? '');
    if (isPager) reader.code(word, { kind: 'opaque' });
    const browser =
      run.words[0]?.text.endsWith('man') === true ? /^(?:-H|--html=)([\s\S]+)$/.exec(word.text)?.[1] : undefined;
    if (browser !== undefined) reader.code(word, { kind: 'none' }, `${browser} ${HOLE}`);
  });
  return reader.emit(run);
}

function unpack(reader: Reader, run: Run): Input {
  unpacked(reader, run);
  return reader.emit(run);
}

/** Records files from a downloaded archive, which count as downloads. */
function unpacked(reader: Reader, run: Run): void {
  const { scope } = reader;
  const known = run.words.some(({ text }) => scope.fetched.has(text) || text.includes(FETCHED));
  if (known || run.input.kind === 'fetched') scope.cloned = true;
}

function remoteShell(reader: Reader, run: Run): Input {
  const output = reader.emit(run);
  run.words.forEach((word, index) => {
    const next = run.words[index + 1];
    if (/^(-[a-zA-Z]*e|--rsh|--rsync-path)$/.test(word.text) && next !== undefined) reader.code(next, { kind: 'none' });
    const attached = /^--(?:rsh|rsync-path)=([\s\S]+)$/.exec(word.text)?.[1];
    if (attached !== undefined) reader.code(word, { kind: 'none' }, attached);
  });
  for (const { word, text } of sshCommands(run.words)) reader.code(word, { kind: 'none' }, text);
  readCodeOptions(reader, run, baseName(run.words[0]?.text ?? ''));
  // Files from another machine count as downloads, as in `scp h:i.sh . && sh i.sh`.
  const operands = run.words.slice(1).filter(({ text }) => !text.startsWith('-'));
  const target = operands.at(-1)?.text ?? '';
  for (const { text } of operands.slice(0, -1))
    if (/^[\w@.-]+:/.test(text) && !/^[\w@.-]+:/.test(target))
      for (const name of [
        lastPart(text.slice(text.indexOf(':') + 1)),
        ...(/^\.{0,2}\/?$/.test(target) ? [] : [target]),
      ])
        reader.scope.fetched.add(name);
  return output;
}

/** Returns the shell text that ssh runs on this machine, from `ssh -o ProxyCommand=…` and similar options. */
export function sshCommands(words: readonly Word[]): readonly { readonly word: Word; readonly text: string }[] {
  return words.flatMap((word) => {
    const text = /^(?:-o)?\s*(?:ProxyCommand|LocalCommand|RemoteCommand|KnownHostsCommand)[\s=]+([\s\S]+)$/i.exec(
      word.text,
    )?.[1];
    return text === undefined || text === 'none' ? [] : [{ word, text }];
  });
}

/** Records a program under another name, which is still that program: `ln -s /bin/rm x; ./x y`. */
function renamedProgram(reader: Reader, run: Run): Input {
  const [source, target, ...more] = run.words.slice(1).filter(({ text }) => !text.startsWith('-'));
  const program = /^(?:\/usr)?(?:\/local)?\/s?bin\/([\w.+-]+)$/.exec(source?.text ?? '')?.[1];
  if (program !== undefined && target !== undefined && more.length === 0) {
    const plain = target.text.replace(/^\.\//, '');
    for (const name of [target.text, plain, `./${plain}`]) reader.scope.aliases.set(name, `command ${program}`);
  }
  return reader.emit(run);
}

function ansible(reader: Reader, run: Run): Input {
  const output = reader.emit(run);
  const value = (...names: readonly string[]): Word | undefined => {
    const at = run.words.findIndex(({ text }) => names.includes(text));
    return at === -1 ? undefined : run.words[at + 1];
  };
  const module = value('-m', '--module-name')?.text.split('.').at(-1) ?? 'command';
  const args = value('-a', '--args');
  if (!/^(command|shell|raw|script)$/.test(module) || args === undefined) return output;
  return reader.code(args, { kind: 'none' }, args.text.replace(/\b(chdir|creates|removes)=\S+\s*/g, ''));
}

function salt(reader: Reader, run: Run): Input {
  const output = reader.emit(run);
  const at = run.words.findIndex(({ text }) => /^cmd\.(run|shell|run_all|script|exec_code)$/.test(text));
  const code = run.words[at + 1];
  return at === -1 || code === undefined ? output : reader.code(code, { kind: 'none' });
}

/** Remembers which files a download creates. */
function download(reader: Reader, run: Run): Input {
  const output = reader.emit(run);
  readCodeOptions(reader, run, baseName(run.words[0]?.text ?? ''));
  const { scope } = reader;
  const texts = run.words.map(({ text }) => text);
  const isCurl = /(curl|aria2c)$/.test(texts[0] ?? '');
  const named = texts.flatMap((text, index) => {
    const attached = /^(?:--output=|--output-document=|-o(?=[^-]))(.+)$/.exec(text)?.[1];
    if (attached !== undefined && isCurl) return [attached];
    const takes = isCurl ? /^(-[a-zA-Z]*o|--output)$/ : /^(-[a-zA-Z]*O|--output-document)$/;
    if (takes.test(text)) return texts[index + 1] ?? [];
    return /^-[a-zA-Z]*O./.exec(text) !== null && !isCurl ? [text.replace(/^-[a-zA-Z]*O/, '')] : [];
  });
  const toOutput = named.includes('-') || named.includes('/dev/stdout');
  for (const name of named) if (name !== '-') scope.fetched.add(name);
  const keepsName =
    isCurl && texts[0]?.endsWith('aria2c') !== true
      ? texts.some((text) => /^(-[a-zA-Z]*O[a-zA-Z]*|--remote-name(-all)?)$/.test(text))
      : named.length === 0;
  if (keepsName)
    for (const text of texts) if (!text.startsWith('-') && text.includes('/')) scope.fetched.add(lastPart(text));
  const stored = run.redirections.find(
    ({ operator, descriptor }) => operator.includes('>') && (descriptor === null || descriptor === 1),
  );
  if (stored !== undefined) scope.fetched.add(stored.target.text);
  return (named.length > 0 || keepsName) && !toOutput ? { kind: 'none' } : output;
}

/** Reads `gh repo clone`, `hg clone` and `svn checkout`, which work like `git clone`. */
function checkedOut(reader: Reader, run: Run): Input {
  const texts = run.words.map(({ text }) => text);
  const at = texts.findIndex((text) => /^(clone|checkout|co)$/.test(text));
  if (at !== -1 && (texts[0] === 'svn' || texts[at] === 'clone')) cloned(reader, texts.slice(at + 1));
  return reader.emit(run);
}

/**
 * Records a package that is installed from an address and not by its name in a registry. The package and its program
 * count as downloads.
 */
function packaged(reader: Reader, run: Run): Input {
  readCodeOptions(reader, run, baseName(run.words[0]?.text ?? ''));
  const texts = run.words.map(({ text }) => text);
  if (texts.some((text) => /^(install|add|i|get)$/.test(text)))
    for (const text of texts.slice(1))
      if (/^((git\+)?(https?|ssh):|(github|gitlab|bitbucket|gist):)/.test(text) || /^[\w-]+\.[^@]*\/[^@]*@/.test(text))
        reader.scope.fetched.add(lastPart(text.replace(/(.)@[^@/]*$/, '$1')).replace(/\.git$/, ''));
  return reader.emit(run);
}

/** Reads `yadm`, which is git for a home directory with a few verbs of its own. */
function yadm(reader: Reader, run: Run): Input {
  const [first, ...all] = run.words;
  const own = all.findIndex(
    ({ text }, at) => !text.startsWith('-') && !/^(-Y|--yadm-\w+)$/.test(all[at - 1]?.text ?? ''),
  );
  const rest = own === -1 ? [] : all.slice(own);
  const verb = rest[0]?.text ?? '';
  if (first === undefined || YADM.test(verb)) return runsFetched(verb === 'bootstrap');
  if (verb === 'enter') {
    const command = rest.slice(1);
    return isFilled(command) ? reader.run({ ...run, words: command }) : reader.emit(run);
  }
  const output = reader.run({ ...run, words: [{ ...first, text: 'git' }, ...rest] });
  if (verb === 'clone') runsFetched(rest.some(({ text }) => text === '--bootstrap'));
  return output;

  function runsFetched(bootstraps: boolean): Input {
    const isFetched = bootstraps && first !== undefined && reader.scope.cloned;
    return reader.emit(isFetched ? { ...run, words: [{ ...first, text: FETCHED }] } : run);
  }
}

const YADM = /^(alt|bootstrap|decrypt|encrypt|gitconfig|help|init|introspect|list|perms|transcrypt|upgrade|version|)$/;

/** Records a new folder. `mkdir x` without -p fails if x exists, so the folder is empty after `&&`. */
function make(reader: Reader, run: Run): Input {
  const args = run.words.slice(1).map(({ text }) => text);
  if (!args.some((arg) => /^-[a-z]*p|^--parents/.test(arg)))
    for (const arg of args) reader.scope.created.add(`${arg.replace(/\/+$/, '')}/`);
  return reader.emit(run);
}

function tee(reader: Reader, run: Run): Input {
  if (run.input.kind === 'fetched') for (const { text } of run.words.slice(1)) reader.scope.fetched.add(text);
  return reader.emit(run);
}

/** Reads `repo forall -c text`, which runs the text in each project. */
function forall(reader: Reader, run: Run): Input {
  const at = run.words.findIndex(({ text }) => text === '-c');
  const code = run.words.slice(at + 1);
  if (at !== -1 && run.words.some(({ text }) => text === 'forall') && isFilled(code))
    reader.code(joined(code), { kind: 'none' });
  return reader.emit(run);
}

/** Reads `capsh -- -c text`, which passes the words after `--` to a shell. */
function capsh(reader: Reader, run: Run): Input {
  const at = run.words.findIndex(({ text }) => /^(--|==)$/.test(text));
  const output = reader.emit(run);
  const [first] = run.words;
  if (at === -1 || first === undefined) return output;
  return runShell(
    reader,
    { ...run, redirections: [], words: [{ ...first, text: 'bash' }, ...run.words.slice(at + 1)] },
    'bash',
  );
}

/** Reads the addresses of socat, which may empty or delete a file: `socat … OPEN:f,trunc`. */
function addresses(reader: Reader, run: Run): Input {
  const redirections = [...run.redirections];
  for (const word of run.words.slice(1)) {
    const [, kind = '', file = '', options = ''] = /^([a-z-]+):([^,]+)((?:,[\s\S]*)?)$/i.exec(word.text) ?? [];
    const target = { ...word, text: file };
    if (/^create$/i.test(kind) || (/^g?open$|^file$/i.test(kind) && /,trunc/i.test(options)))
      redirections.push({ operator: '>', descriptor: 1, target });
    if (/^(g?open|file|create|pipe)$/i.test(kind) && /,unlink(-early|-late)?(,|=1|$)/i.test(options))
      reader.run({ ...run, redirections: [], words: [{ ...word, text: 'unlink' }, target] });
  }
  return reader.emit({ ...run, redirections });
}

function plainRun(reader: Reader, run: Run): Input {
  const at = run.words.findIndex(({ text }) => text === '--');
  const output = reader.emit(run);
  return at === -1 ? output : reader.run({ ...run, redirections: [], words: run.words.slice(at + 1) });
}

const filled = (word: Word): Word =>
  word.text.includes('{}') ? { ...word, text: word.text.replaceAll('{}', HOLE) } : word;
