import {
  parse,
  type Assignment,
  type Command as CommandNode,
  type HereDoc,
  type ParsedScript,
  type Redirection as RedirectionNode,
  type SyntaxNode,
  type Word as WordNode,
} from 'unbash';
import {
  HOLE,
  baseName,
  type Command,
  type Facts,
  type Input,
  type Redirection,
  type Snippet,
  type Word,
} from './command.js';
import { dispatch } from './dispatch.js';
import { runVariable } from './environment.js';
import { evaluateName, evaluateNode, evaluateNumber, evaluatePrompt, type Texts } from './evaluation.js';
import { expand, expandText } from './expand.js';
import type { Substitution } from './substitution.js';
import { outputOf, substituted } from './outputs.js';
import type { Place, Reader, Run, Variable } from './reading.js';
import { MAX_ALTERNATIVES } from './scope.js';
import { nestedSource, rootSource, type Source, type Span } from './source.js';
import { StatementReader } from './statements.js';

/** Something that only running the text would tell. */
export interface Gap {
  readonly id: string;
  readonly reason: string;
  readonly span: Span | null;
}

export interface Reading {
  readonly commands: readonly Command[];
  readonly gaps: readonly Gap[];
  /** What the text puts into the environment of programs. */
  readonly environment: readonly Variable[];
  /** It counts with a variable that the text gives no value. */
  readonly inherits: boolean;
}

const MAX_COMMANDS = 1_000;
const MAX_DEPTH = 20;
const MAX_ELEMENTS = 64;
/** Most text inside texts that is read, UTF-16 code units. */
const MAX_NESTED = 98_304;
/** Most words of all commands together: a wrapper in a wrapper in a wrapper has each word again. */
const MAX_WORDS = 12_000;
const NOTHING: Input = { kind: 'none' };
/** Not files: bash opens a connection. */
const SOCKET = /^\/dev\/(?:tcp|udp)\/([^/]+)\/([^/]+)$/;
const NO_NAMES: ReadonlySet<string> = new Set();
/** Every command that running `text` in a shell could run. */
export function readShell(text: string): Reading {
  const reader = new ShellReader();
  reader.script(parse(text), rootSource(text), NOTHING);
  const { commands, gaps, environment, scope } = reader;
  return { commands, gaps, environment, inherits: scope.inherits };
}

class ShellReader extends StatementReader implements Reader {
  readonly commands: Command[] = [];

  readonly gaps: Gap[] = [];

  readonly environment: Variable[] = [];

  readonly running: string[] = [];

  readonly written = new Map<string, { readonly text: string; readonly word: Word }>();

  #depth = 0;

  #nested = 0;

  #words = 0;

  gap(id: string, reason: string, place: Place | null): void {
    if (this.gaps.length < 20)
      this.gaps.push({ id, reason, span: place === null ? null : place.source.spanOf(place.pos, place.end) });
  }

  run(run: Run): Input {
    if (this.#words > MAX_WORDS) {
      this.gap('unresolved.too-long', 'this is too long to be read to its end', run);
      return NOTHING;
    }
    return this.#deeper(run, () => dispatch(this, run));
  }

  code(word: Word, input: Input, text = word.text): Input {
    this.#nested += text.length;
    if (this.#nested > MAX_NESTED) {
      this.gap('unresolved.too-long', 'this is too long to be read to its end', word);
      return NOTHING;
    }
    const source = nestedSource(word.source, word.pos, word.end, text);
    return this.#deeper(word, () => this.script(parse(text), source, input));
  }

  guess(word: Word, text: string): void {
    const known = this.gaps.length;
    this.code(word, NOTHING, text);
    this.gaps.length = known;
  }

  script(script: ParsedScript, source: Source, input: Input): Input {
    const error = script.errors?.[0];
    if (error !== undefined) {
      const at = Math.min(error.pos, Math.max(source.text.length - 1, 0));
      this.gap('unresolved.syntax', `the shell would not understand this: ${error.message}`, {
        source,
        pos: at,
        end: source.text.length,
      });
    }
    return this.list(script.commands, source, input);
  }

  /** The words that the shell makes of `node`; what its substitutions run is read on the way. */
  words(node: WordNode, source: Source): readonly Word[] {
    return expand(node, source, this.scope, this.#substitution);
  }

  text(node: WordNode, source: Source): string {
    return expandText(node.parts, node.value, source, this.scope, this.#substitution);
  }

  emit(run: Run, snippets: readonly Snippet[] = []): Input {
    const [first, ...words] = run.words;
    const path = first?.text ?? '';
    const command: Command = {
      // Windows programs are called with their ending, from WSL too.
      name: baseName(path).replace(/\.exe$/i, ''),
      path,
      words,
      args: words.map((word) => word.text),
      redirections: run.redirections,
      input: run.input,
      snippets,
      facts: this.#facts(),
      source: run.source,
      pos: run.pos,
      end: run.end,
    };
    this.#words += words.length;
    this.commands.push(command);
    const output = outputOf(command);
    if (output.kind !== 'text') return output;
    this.#keep(command, output.text, output.word);
    this.#send(run, output);
    return output;
  }

  /** What goes to `/dev/tcp/host/port` goes to a server, as through `nc`. */
  #send(run: Run, input: Input): void {
    for (const { operator, target } of run.redirections) {
      const address = SOCKET.exec(target.text);
      if (address === null || !operator.includes('>')) continue;
      const words = ['nc', address[1] ?? '', address[2] ?? ''].map((text) => ({ ...target, text }));
      this.emit({ ...run, words, redirections: [], input });
    }
  }

  /** A later command may run what this one writes. */
  #keep(command: Command, text: string, word: Word): void {
    const targets = command.redirections
      .filter(({ operator }) => operator.startsWith('>'))
      .map(({ target }) => target.text);
    if (command.name === 'tee') targets.push(...command.args);
    for (const target of targets) {
      const before = this.written.get(target)?.text;
      this.written.set(target, { text: before === undefined ? text : `${before}\n${text}`, word });
    }
  }

  /** Runs `name`, a function that the text defined, with `args`. */
  call(name: string, args: readonly string[], input: Input, place: Place): Input {
    const defined = this.scope.functions.get(name);
    if (defined === undefined || this.running.includes(name)) return NOTHING;
    const before = this.scope.positional;
    this.scope.positional = args;
    this.running.push(name);
    const output = this.#deeper(place, () => this.node(defined.node.body, defined.source, input));
    this.running.pop();
    this.scope.positional = before;
    return output;
  }

  redirections(
    nodes: readonly RedirectionNode[],
    source: Source,
  ): { redirections: Redirection[]; given: Input | null } {
    const redirections: Redirection[] = [];
    let given: Input | null = null;
    for (const node of nodes) {
      const descriptor = node.descriptor?.type === 'FileDescriptor' ? node.descriptor.value : null;
      if (node.type === 'HereDoc') {
        if (descriptor === null || descriptor === 0) given = this.#hereDocument(node, source);
        continue;
      }
      if (node.target === undefined) continue;
      if (node.type === 'HereString') {
        const text = this.text(node.target, source);
        given = { kind: 'text', text, word: { text, source, pos: node.target.pos, end: node.target.end, glob: false } };
        continue;
      }
      const target = this.words(node.target, source)[0];
      if (target === undefined) continue;
      redirections.push({
        operator: writesOver(node.operator, descriptor, target.text) ? '>' : node.operator,
        descriptor,
        target,
      });
      if (node.operator === '<' && (descriptor === null || descriptor === 0)) {
        given = target.process?.input ?? (this.scope.fetched.has(target.text) ? { kind: 'fetched' } : { kind: 'file' });
        if (/^\/dev\/(zero|u?random)$/.test(target.text)) given = { kind: 'endless' };
        if (target.text === '/dev/null') given = NOTHING;
      }
      // What an open descriptor holds was said elsewhere.
      if (node.operator === '<&' && (descriptor === null || descriptor === 0) && target.text !== '-')
        given = { kind: 'opaque' };
    }
    return { redirections, given };
  }

  protected command(parsed: CommandNode, source: Source, input: Input): Input {
    const node = withAssignedProcess(parsed);
    let output: Input = NOTHING;
    const { scope } = this;
    scope.choice = 0;
    for (let choice = 0, alternatives = 1; choice < alternatives && choice < MAX_ALTERNATIVES; choice += 1) {
      scope.choice = choice;
      scope.alternatives = 1;
      const { redirections, given } = this.redirections(node.redirects, source);
      const words = node.name === undefined ? [] : [...this.words(node.name, source)];
      for (const arg of node.args) {
        if (arg.type === 'Word') words.push(...this.words(arg, source));
        else
          words.push({
            text: `${arg.name}${arg.append === true ? '+' : ''}=${this.#assigned(arg, source)}`,
            source,
            pos: arg.pos,
            end: arg.end,
            glob: false,
          });
      }
      alternatives = Math.max(alternatives, scope.alternatives);
      const place = { source, pos: node.name?.pos ?? node.pos, end: node.end };
      const run = { words, redirections, input: given ?? input, ...place };
      if (choice === 0) this.#assign(node, source, words.length > 0);
      if (words.length === 0) {
        if (node.name !== undefined)
          this.gap('unresolved.command-name', 'what is run comes from data that only running it would tell', place);
        if (redirections.length > 0) output = this.emit(run);
      } else output = this.run(run);
    }
    scope.choice = 0;
    return output;
  }

  #assign(node: CommandNode, source: Source, temporary: boolean): void {
    if (temporary) this.scope.conditional += 1;
    for (const part of node.prefix) {
      if (part.type !== 'Assignment') continue;
      const { value: node } = part;
      const isProcess = node.type === 'Word' && node.parts?.some(({ type }) => type === 'ProcessSubstitution') === true;
      // Once only: what stands inside may hold such assignments again.
      const [made] = isProcess ? this.words(node, source) : [];
      const value = made === undefined ? this.#assigned(part, source) : HOLE;
      if (part.append === true && node.type === 'Word' && part.index === undefined) this.scope.append(part.name, value);
      else this.scope.set(part.name, value);
      // A shell variable reaches programs when it stands before one, or when it was exported before this text.
      if (temporary || MAY_BE_EXPORTED.test(part.name)) this.environment.push({ name: part.name, value });
      if (this.scope.integers.has(part.name))
        evaluateNumber(this, { text: value, glob: false, source, ...placeOf(node) });
      // Other programs run what some variables hold.
      if (node.type === 'Word')
        runVariable(this, part.name, made ?? { text: value, glob: false, source, pos: node.pos, end: node.end });
    }
    if (temporary) this.scope.conditional -= 1;
  }

  /** The value of an assignment; what it says of an array's elements is kept. */
  #assigned(part: Pick<Assignment, 'name' | 'value' | 'index' | 'append'>, source: Source): string {
    const { name, value } = part;
    const { arrays } = this.scope;
    const key = part.index === undefined ? null : this.text(part.index, source);
    const isKeyed = this.scope.keyed.has(name);
    if (key !== null && !isKeyed) evaluateNumber(this, { text: key, glob: false, source, ...placeOf(value) });
    const before = part.append === true || key !== null ? arrays.get(name) : undefined;
    if (value.type === 'Word' && key === null) return this.text(value, source);
    const rest = part.append === true && before === undefined ? [this.scope.get(name) ?? ''] : [];
    const elements = new Map(before);
    if (value.type === 'Word') elements.set(key ?? '0', this.text(value, source));
    else
      for (const element of value.elements)
        for (const { text } of this.words(element, source)) {
          const [, own, inner] = /^\[([^\]]*)\]=([\s\S]*)$/.exec(text) ?? [];
          if (own !== undefined && !isKeyed)
            evaluateNumber(this, { text: own, glob: false, source, ...placeOf(element) });
          elements.set(own ?? String(elements.size), inner ?? text);
        }
    if (rest.length === 0 && elements.size <= MAX_ELEMENTS) arrays.set(name, elements);
    return [...rest, ...elements.values()].filter((text) => text !== '').join(' ');
  }

  #deeper(place: Place, body: () => Input): Input {
    if (this.#depth >= MAX_DEPTH) {
      this.gap('unresolved.too-deep', 'this is nested too deeply to be read to its end', place);
      return NOTHING;
    }
    this.#depth += 1;
    const output = body();
    this.#depth -= 1;
    return output;
  }

  #hereDocument(node: HereDoc, source: Source): Input {
    const { body } = node;
    const text = expandText(body.parts, body.text, source, this.scope, this.#substitution);
    return { kind: 'text', text, word: { text, source, pos: body.pos, end: body.end, glob: false } };
  }

  #facts(): Facts {
    const { created, fetched, cloned, noclobber } = this.scope;
    return {
      created: created.size === 0 ? NO_NAMES : new Set(created),
      fetched: fetched.size === 0 ? NO_NAMES : new Set(fetched),
      cloned,
      noclobber,
      endlessLoop: this.endlessLoop,
      unpacedLoop: this.unpacedLoop,
      background: this.background,
    };
  }

  /** Reads the substitutions inside what is not a command: tests and arithmetic. */
  protected sweep(node: SyntaxNode | undefined, source: Source): void {
    if (node !== undefined) evaluateNode(this, this.#texts, node, source);
  }

  readonly #texts: Texts = {
    text: (parts, value, source) => expandText(parts, value, source, this.scope, this.#substitution),
    output: (script, source, pos, end) => this.#substitution.output(script, source, pos, end),
    script: (script, source) => void this.script(script, source, NOTHING),
  };

  readonly #substitution: Substitution = {
    output: (script, source, pos, end) => {
      if (script === undefined) return HOLE;
      const own = script.source === undefined ? source : nestedSource(source, pos, end, script.source);
      const { choice, alternatives } = this.scope;
      const text = substituted(
        this.#deeper({ source, pos, end }, () => this.maybe(() => this.script(script, own, NOTHING))),
      );
      this.scope.choice = choice;
      this.scope.alternatives = Math.max(alternatives, this.scope.alternatives);
      return text;
    },
    process: (part, source) => {
      const { script } = part;
      const input =
        script === undefined
          ? NOTHING
          : this.#deeper({ source, pos: part.pos, end: part.end }, () =>
              this.script(script, source, part.operator === '>' ? { kind: 'opaque' } : NOTHING),
            );
      return { operator: part.operator, input };
    },
    arithmetic: (part, source) => this.sweep(part.expression, source),
    number: (word) => evaluateNumber(this, word),
    name: (word) => evaluateName(this, word),
    prompt: (word) => evaluatePrompt(this, word),
  };

  protected isFull(): boolean {
    return this.commands.length > MAX_COMMANDS || this.#words > MAX_WORDS;
  }
}

/** Variables that a login exports, or whose value changes what programs and the shell itself do. */
const MAY_BE_EXPORTED =
  /^(PATH|HOME|IFS|ENV|SHELL|TMPDIR|CDPATH|PS\d|PROMPT\w*|EDITOR|VISUAL|BROWSER|\w*(PAGER|EDITOR|OPTIONS|OPTS|COMMAND|ASKPASS|CONFIG\w*)|(GIT|LD|DYLD|PYTHON|PERL|RUBY|NODE|LESS|BASH|GREP|RIPGREP|TAR|ZIP|GZIP|MAKE|SSH|RSYNC|CURL|DOCKER|KUBE|AWS|SQLITE|XDG)\w*)$/;

/** `1<>f` writes over what stands in the file, as `>` does; pipes, terminals and sockets hold nothing. */
const writesOver = (operator: string, descriptor: number | null, target: string): boolean =>
  operator === '<>' &&
  descriptor !== null &&
  descriptor > 0 &&
  !/^\/dev\/|fifo|pipe|\.sock$|[$\uE000-\uE002]/i.test(target);

const placeOf = ({ pos, end }: SyntaxNode): { pos: number; end: number } => ({ pos, end });

/** `A=<(x) cmd`: the parser takes what belongs to the assignment for the command's name. */
function withAssignedProcess(node: CommandNode): CommandNode {
  const last = node.prefix.at(-1);
  const { name } = node;
  if (last?.type !== 'Assignment' || name === undefined || last.end !== name.pos || last.value.type !== 'Word')
    return node;
  const next = node.args[0];
  if (next !== undefined && next.type !== 'Word') return node;
  // The parser's own objects hand out their parts through getters, which a spread would lose.
  const { type, text, append, index } = last;
  const assignment: Assignment = {
    type,
    text,
    append,
    index,
    name: last.name,
    value: name,
    pos: last.pos,
    end: name.end,
  };
  const { pos, end, redirects } = node;
  return {
    type: node.type,
    pos,
    end,
    redirects,
    suffix: node.suffix.slice(1),
    prefix: [...node.prefix.slice(0, -1), assignment],
    name: next,
    args: node.args.slice(1),
  };
}
