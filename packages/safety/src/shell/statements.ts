import {
  forEachChild,
  type AndOr,
  type Command as CommandNode,
  type CompoundList,
  type Function as FunctionNode,
  type If,
  type Redirection as RedirectionNode,
  type Statement,
  type SyntaxNode,
  type While,
  type Word as WordNode,
} from 'unbash';
import { HOLE, type Input, type Word } from './command.js';
import { absentPath, constantNumber, constantTest } from './conditions.js';
import { together } from './outputs.js';
import type { Place, Run } from './reading.js';
import type { Redirections } from './redirections.js';
import { MAX_ALTERNATIVES, Scope } from './scope.js';
import type { Source } from './source.js';

const NOTHING: Input = { kind: 'none' };
/** A loop over thousands is as good as endless when it starts something in the background each time. */
const LONG_RANGE = /\.\.\d{4,}\}|\bseq\b[^)]{0,40}\b\d{4,}\b/;
/** What gives a loop its pace, or ends it. */
const WAITS =
  /^(sleep|usleep|read|wait|select|inotifywait|fswatch|nc|ncat|socat|tcpdump|timeout|vmstat|iostat|mpstat|sar|ssh|break|exit|return|exec)$/;

function waits(node: SyntaxNode): boolean {
  let found = false;
  forEachChild(node, (child) => {
    found ||= (child.type === 'Command' && WAITS.test(child.name?.value ?? '')) || waits(child);
  });
  return found;
}

/** Loops in loops that are read twice: each level doubles the work. */
const MAX_READ_AGAIN = 3;

/** Follows lists, pipes, branches, loops and functions: what may run counts as if it ran. */
export abstract class StatementReader {
  readonly scope = new Scope();

  protected endlessLoop = false;

  /** The loop that never ends does not wait either. */
  protected unpacedLoop = false;

  protected background = false;

  /** Loops around what is being read. */
  #depth = 0;

  protected list(statements: readonly Statement[], source: Source, input: Input): Input {
    const outputs = statements.map((statement) => {
      const wasBackground = this.background;
      this.background ||= statement.background === true;
      const output = this.node(statement.command, source, input);
      this.background = wasBackground;
      this.scope.created.clear();
      return output;
    });
    return together(outputs);
  }

  node(node: Statement['command'] | CompoundList, source: Source, input: Input): Input {
    if (this.isFull()) {
      this.gap('unresolved.too-long', 'this is too long to be read to its end', null);
      return NOTHING;
    }
    switch (node.type) {
      case 'Command':
        return this.command(node, source, input);
      case 'CompoundList':
        return this.list(node.commands, source, input);
      case 'Pipeline': {
        let output = input;
        for (const part of node.commands) output = this.node(part, source, output);
        return output;
      }
      case 'AndOr':
        return this.#andOr(node, source, input);
      case 'If':
        return this.#if(node, source, input);
      case 'For':
      case 'Select': {
        const values = node.wordlist?.flatMap((word) =>
          this.words(word, source).map(({ text, glob }) => (glob ? HOLE : text)),
        );
        const known = values !== undefined && values.length > 0 && values.length <= MAX_ALTERNATIVES;
        this.scope.set(node.name.value, ...(known ? values : [...(values ?? []).slice(0, MAX_ALTERNATIVES - 1), HOLE]));
        return this.#loop(
          false,
          () => this.node(node.body, source, input),
          (node.wordlist ?? []).some((word) => LONG_RANGE.test(word.value)),
        );
      }
      case 'ArithmeticFor': {
        this.sweep(node.initialize, source);
        this.sweep(node.test, source);
        this.sweep(node.update, source);
        const endless = node.test === undefined || constantNumber(node.test) === true;
        return this.#endless(endless, node.body, () => this.node(node.body, source, input));
      }
      case 'While':
        return this.#while(node, source, input);
      case 'Case': {
        this.words(node.word, source);
        const outputs = node.items.map((item) => {
          for (const pattern of item.pattern) this.words(pattern, source);
          return this.maybe(() => this.node(item.body, source, input));
        });
        return together(outputs);
      }
      case 'Subshell':
      case 'BraceGroup':
        return this.maybe(() => this.node(node.body, source, input));
      case 'Redirected': {
        const { redirections, given } = this.redirections(node.redirects, source);
        const output = this.node(node.command, source, given ?? input);
        this.emit({ words: [], redirections, input: output, source, pos: node.pos, end: node.end });
        return output;
      }
      case 'Function':
        this.#define(node, source);
        return NOTHING;
      case 'Coproc':
        return this.node(node.body, source, input);
      case 'TestCommand':
      case 'ArithmeticCommand':
        this.sweep(node, source);
        return NOTHING;
      default:
        return NOTHING;
    }
  }

  #andOr(node: AndOr, source: Source, input: Input): Input {
    const outputs: Input[] = [];
    node.commands.forEach((part, index) => {
      const operator = node.operators[index - 1];
      const before = node.commands[index - 1];
      if (operator === '||') this.scope.created.clear();
      const absent = before === undefined ? null : absentPath(before, operator === '&&');
      if (absent !== null) this.scope.created.add(this.text(absent, source));
      outputs.push(index === 0 ? this.node(part, source, input) : this.maybe(() => this.node(part, source, input)));
    });
    return together(outputs);
  }

  #if(node: If, source: Source, input: Input): Input {
    this.node(node.clause, source, input);
    const test = node.clause.commands.at(-1)?.command;
    const outputs = [this.maybe(() => this.#branch(node.then, test, true, source, input))];
    for (const branch of node.elif) {
      this.maybe(() => this.node(branch.clause, source, input));
      outputs.push(this.maybe(() => this.node(branch.then, source, input)));
    }
    const otherwise = node.else;
    if (otherwise !== undefined) outputs.push(this.maybe(() => this.#branch(otherwise, test, false, source, input)));
    return together(outputs);
  }

  /** The first command of a branch knows what the test proved. */
  #branch(
    list: CompoundList,
    test: Statement['command'] | undefined,
    succeeded: boolean,
    source: Source,
    input: Input,
  ): Input {
    const absent = test === undefined ? null : absentPath(test, succeeded);
    if (absent !== null) this.scope.created.add(this.text(absent, source));
    return this.node(list, source, input);
  }

  #while(node: While, source: Source, input: Input): Input {
    this.node(node.clause, source, input);
    const only = node.clause.commands.length === 1 ? node.clause.commands[0]?.command : undefined;
    const endless = constantTest(only) === (node.kind === 'while');
    return this.#endless(endless, node.body, () => this.node(node.body, source, input));
  }

  #endless(endless: boolean, body: SyntaxNode, read: () => Input): Input {
    const before = this.unpacedLoop;
    this.unpacedLoop ||= endless && !waits(body);
    const output = this.#loop(endless, read);
    const unpaced = this.unpacedLoop && !before;
    if (unpaced && onlyAssigns(body))
      this.gap('unresolved.loop', 'a loop that only changes variables never ends', null);
    this.unpacedLoop = before;
    return unpaced && (output.kind === 'text' || output.kind === 'opaque') ? { kind: 'endless' } : output;
  }

  /** A body that changes variables is read a second time: its later rounds begin with what the first one left. */
  #loop(endless: boolean, body: () => Input, many = false): Input {
    const before = this.endlessLoop;
    this.endlessLoop ||= endless || many;
    this.#depth += 1;
    const { changes } = this.scope;
    const first = this.maybe(body);
    const again = this.scope.changes !== changes && this.#depth <= MAX_READ_AGAIN;
    const output = again ? together([first, this.maybe(body)]) : first;
    this.#depth -= 1;
    this.endlessLoop = before;
    return output;
  }

  #define(node: FunctionNode, source: Source): void {
    this.scope.functions.set(node.name.value, { node, source });
    // The shell calls it by itself.
    if (node.name.value === 'command_not_found_handle') this.call(node.name.value, [], NOTHING, { ...node, source });
  }

  protected maybe(body: () => Input): Input {
    this.scope.conditional += 1;
    const output = body();
    this.scope.conditional -= 1;
    return output;
  }

  /** Whether so many commands were found that reading on would take too long. */
  protected abstract isFull(): boolean;
  abstract gap(id: string, reason: string, place: Place | null): void;
  abstract emit(run: Run): Input;
  abstract call(name: string, args: readonly string[], input: Input, place: Place): Input;
  abstract words(node: WordNode, source: Source): readonly Word[];
  abstract text(node: WordNode, source: Source): string;
  abstract redirections(nodes: readonly RedirectionNode[], source: Source): Redirections;
  protected abstract command(node: CommandNode, source: Source, input: Input): Input;
  /** Reads the substitutions inside what is not a command: tests and arithmetic. */
  protected abstract sweep(node: SyntaxNode | undefined, source: Source): void;
}

/** Whether a body has no command that could end it: values grow in it, or nothing happens at all. */
function onlyAssigns(body: SyntaxNode): boolean {
  if (body.type === 'CompoundList') return body.commands.every(({ command }) => onlyAssigns(command));
  return body.type === 'Command' && body.name === undefined;
}
