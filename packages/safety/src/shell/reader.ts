import {
  parse,
  type Command as CommandNode,
  type ParsedScript,
  type Redirection as RedirectionNode,
  type SyntaxNode,
  type Word as WordNode,
} from 'unbash';
import { MAY_BE_EXPORTED, assign, assigned, withAssignedProcess } from './assignments.js';
import { HOLE, baseName, type Command, type Facts, type Input, type Snippet, type Word } from './command.js';
import { dispatch } from './dispatch.js';
import { evaluateName, evaluateNode, evaluateNumber, evaluatePrompt, type Texts } from './evaluation.js';
import { expand, expandText } from './expand.js';
import type { Substitution } from './parameters.js';
import { outputOf, substituted } from './outputs.js';
import type { NodeReader, Place, Run, Variable } from './reading.js';
import { redirectionsOf, type Redirections } from './redirections.js';
import { MAX_COMBINATIONS } from './scope.js';
import { nestedSource, rootSource, type Source, type Span } from './source.js';
import { StatementReader } from './statements.js';

/** A part of the text whose effect is known only when it runs. */
interface Gap {
  readonly id: string;
  readonly reason: string;
  readonly span: Span | null;
}

export interface Reading {
  readonly commands: readonly Command[];
  readonly gaps: readonly Gap[];
  /** The variables that the text adds to the environment of programs. */
  readonly environment: readonly Variable[];
  /** Whether the text evaluates a variable that it never sets. */
  readonly inherits: boolean;
}

const MAX_COMMANDS = 1_000;
const MAX_DEPTH = 20;
/** Maximum length of nested text that is read, in UTF-16 code units. */
const MAX_NESTED = 98_304;
/** The maximum number of words of all commands together. Nested wrappers repeat each word. */
const MAX_WORDS = 12_000;
const NOTHING: Input = { kind: 'none' };
/** These paths are not files: bash opens a connection. */
const SOCKET = /^\/dev\/(?:tcp|udp)\/([^/]+)\/([^/]+)$/;
const NO_NAMES: ReadonlySet<string> = new Set();

/** Reads every command that a shell could run when it runs `text`. */
export function readShell(text: string): Reading {
  const reader = new ShellReader();
  reader.script(parse(text), rootSource(text), NOTHING);
  const { commands, gaps, environment, scope } = reader;
  // `read PATH` and `for HOME in` set variables too.
  for (const name of scope.changed)
    if (MAY_BE_EXPORTED.test(name) && !environment.some((each) => each.name === name))
      environment.push({ name, value: HOLE, span: [0, text.length] });
  return { commands, gaps, environment, inherits: scope.inherits };
}

class ShellReader extends StatementReader implements NodeReader {
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
      this.gap('unresolved.too-long', 'it is too long to read completely', run);
      return NOTHING;
    }
    return this.#deeper(run, () => dispatch(this, run));
  }

  code(word: Word, input: Input, text = word.text): Input {
    this.#nested += text.length;
    if (this.#nested > MAX_NESTED) {
      this.gap('unresolved.too-long', 'it is too long to read completely', word);
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
      this.gap('unresolved.syntax', `the shell would reject this: ${error.message}`, {
        source,
        pos: at,
        end: source.text.length,
      });
    }
    return this.list(script.commands, source, input);
  }

  /** Returns the words that the shell makes of `node`, and reads the commands that the substitutions in them run. */
  words(node: WordNode, source: Source): readonly Word[] {
    return expand(node, source, this.scope, this.#substitution);
  }

  text(node: Pick<WordNode, 'parts' | 'value'>, source: Source): string {
    return expandText(node.parts, node.value, source, this.scope, this.#substitution);
  }

  emit(run: Run, snippets: readonly Snippet[] = []): Input {
    const [first, ...words] = run.words;
    const path = first?.text ?? '';
    const command: Command = {
      // Windows programs are called with their extension, and WSL accepts that too.
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

  /** Treats output to `/dev/tcp/host/port` like input for `nc`, because it goes to a server. */
  #send(run: Run, input: Input): void {
    for (const { operator, target } of run.redirections) {
      const address = SOCKET.exec(target.text);
      if (address === null || !operator.includes('>')) continue;
      const words = ['nc', address[1] ?? '', address[2] ?? ''].map((text) => ({ ...target, text }));
      this.emit({ ...run, words, redirections: [], input });
    }
  }

  /** Remembers the text that this command writes to a file, because a later command may run that file. */
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

  redirections(nodes: readonly RedirectionNode[], source: Source): Redirections {
    return redirectionsOf(this, nodes, source);
  }

  protected command(parsed: CommandNode, source: Source, input: Input): Input {
    const node = withAssignedProcess(parsed);
    let output: Input = NOTHING;
    this.everyCombination((choice) => {
      const { redirections, given } = this.redirections(node.redirects, source);
      const words = node.name === undefined ? [] : [...this.words(node.name, source)];
      for (const arg of node.args) {
        if (arg.type === 'Word') words.push(...this.words(arg, source));
        else
          words.push({
            text: `${arg.name}${arg.append === true ? '+' : ''}=${assigned(this, arg, source)}`,
            source,
            pos: arg.pos,
            end: arg.end,
            glob: false,
          });
      }
      const place = { source, pos: node.name?.pos ?? node.pos, end: node.end };
      const run = { words, redirections, input: given ?? input, ...place };
      const apply = (): void => assign(this, node, source, words.length > 0);
      if (choice === 0) apply();
      else this.maybe(() => (apply(), NOTHING));
      this.#tooMany(choice, place);
      if (words.length === 0) {
        if (node.name !== undefined)
          this.gap('unresolved.command-name', 'the command itself is known only when it runs', place);
        if (redirections.length > 0) output = this.emit(run);
      } else output = this.run(run);
    });
    return output;
  }

  #tooMany(choice: number, place: Place): void {
    if (choice === 0 && this.scope.combinations > MAX_COMBINATIONS)
      this.gap('unresolved.loop', 'it runs with more combinations of values than aish can check', place);
  }

  #deeper(place: Place, body: () => Input): Input {
    if (this.#depth >= MAX_DEPTH) {
      this.gap('unresolved.too-deep', 'it is nested too deeply to read completely', place);
      return NOTHING;
    }
    this.#depth += 1;
    const output = body();
    this.#depth -= 1;
    return output;
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

  /** Reads the substitutions inside tests and arithmetic, which are not commands. */
  protected sweep(node: SyntaxNode | undefined, source: Source): void {
    if (node !== undefined) evaluateNode(this, this.#texts, node, source);
  }

  readonly #texts: Texts = {
    text: (parts, value, source) => expandText(parts, value, source, this.scope, this.#substitution),
    output: (script, source, pos, end) => this.#substitution.output(script, source, pos, end),
    script: (script, source) => void this.#aside(() => this.script(script, source, NOTHING)),
  };

  /** Reads commands in the middle of a word. The word then continues with its own combination of values. */
  #aside<T>(read: () => T): T {
    const { choice, picks } = this.scope;
    const result = read();
    this.scope.choice = choice;
    this.scope.picks = picks;
    return result;
  }

  readonly #substitution: Substitution = {
    output: (script, source, pos, end) => {
      if (script === undefined) return HOLE;
      const own = script.source === undefined ? source : nestedSource(source, pos, end, script.source);
      return this.#aside(() =>
        substituted(this.#deeper({ source, pos, end }, () => this.maybe(() => this.script(script, own, NOTHING)))),
      );
    },
    process: (part, source) => {
      const { script } = part;
      const input =
        script === undefined
          ? NOTHING
          : this.#aside(() =>
              this.#deeper({ source, pos: part.pos, end: part.end }, () =>
                this.script(script, source, part.operator === '>' ? { kind: 'opaque' } : NOTHING),
              ),
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
