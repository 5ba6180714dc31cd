import {
  parse,
  type Command as CommandNode,
  type ParsedScript,
  type Redirection as RedirectionNode,
  type SyntaxNode,
  type Word as WordNode,
} from 'unbash';
import { assign, assigned, withAssignedProcess } from './assignments.js';
import { HOLE, baseName, type Command, type Facts, type Input, type Snippet, type Word } from './command.js';
import { dispatch } from './dispatch.js';
import { evaluateName, evaluateNode, evaluateNumber, evaluatePrompt, type Texts } from './evaluation.js';
import { expand, expandText } from './expand.js';
import type { Substitution } from './parameters.js';
import { outputOf, substituted } from './outputs.js';
import type { NodeReader, Place, Run, Variable } from './reading.js';
import { redirectionsOf, type Redirections } from './redirections.js';
import { MAX_ALTERNATIVES } from './scope.js';
import { nestedSource, rootSource, type Source, type Span } from './source.js';
import { StatementReader } from './statements.js';

/** Something that only running the text would tell. */
interface Gap {
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

  text(node: Pick<WordNode, 'parts' | 'value'>, source: Source): string {
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

  redirections(nodes: readonly RedirectionNode[], source: Source): Redirections {
    return redirectionsOf(this, nodes, source);
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
            text: `${arg.name}${arg.append === true ? '+' : ''}=${assigned(this, arg, source)}`,
            source,
            pos: arg.pos,
            end: arg.end,
            glob: false,
          });
      }
      alternatives = Math.max(alternatives, scope.alternatives);
      const place = { source, pos: node.name?.pos ?? node.pos, end: node.end };
      const run = { words, redirections, input: given ?? input, ...place };
      if (choice === 0) assign(this, node, source, words.length > 0);
      if (words.length === 0) {
        if (node.name !== undefined)
          this.gap('unresolved.command-name', 'what is run comes from data that only running it would tell', place);
        if (redirections.length > 0) output = this.emit(run);
      } else output = this.run(run);
    }
    scope.choice = 0;
    return output;
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
