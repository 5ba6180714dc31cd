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
import { MAX_ALTERNATIVES, MAX_COMBINATIONS, Scope, combinationsOf } from './scope.js';
import type { Source } from './source.js';

const NOTHING: Input = { kind: 'none' };
/**
 * Matches a range of thousands of values. A loop over it is like an endless one if each round starts something in the
 * background.
 */
const LONG_RANGE = /\.\.\d{4,}\}|\bseq\b[^)]{0,40}\b\d{4,}\b/;
/** Commands that slow down a loop or end it. */
const WAITS =
  /^(sleep|usleep|read|wait|select|inotifywait|fswatch|nc|ncat|socat|tcpdump|timeout|vmstat|iostat|mpstat|sar|ssh|break|exit|return|exec)$/;

function waits(node: SyntaxNode): boolean {
  let found = false;
  forEachChild(node, (child) => {
    found ||= (child.type === 'Command' && WAITS.test(child.name?.value ?? '')) || waits(child);
  });
  return found;
}

/** The maximum nesting depth of loops that are read twice. Each level doubles the work. */
const MAX_READ_AGAIN = 3;

/** Follows lists, pipes, branches, loops and functions. A part that may run is treated as if it ran. */
export abstract class StatementReader {
  readonly scope = new Scope();

  protected endlessLoop = false;

  /** Whether the endless loop contains nothing that waits. */
  protected unpacedLoop = false;

  protected background = false;

  /** The number of loops around the current position. */
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
      this.gap('unresolved.too-long', 'it is too long to read completely', null);
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
        const { wordlist } = node;
        const values = wordlist === undefined ? undefined : this.#allWords(wordlist, source);
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
        const { pos, end } = node;
        const outputs: Input[] = [];
        const combinations = this.everyCombination(() => {
          const { redirections, given } = this.redirections(node.redirects, source);
          const output = this.node(node.command, source, given ?? input);
          this.emit({ words: [], redirections, input: output, source, pos, end });
          outputs.push(output);
        });
        if (combinations > MAX_COMBINATIONS)
          this.gap('unresolved.loop', 'it runs with more combinations of values than aish can check', {
            source,
            pos,
            end,
          });
        return together(outputs);
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

  /** Reads a branch. Its first command knows what the test proved. */
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

  /**
   * Reads a loop. A body that changes variables is read twice, because its later rounds begin with the values of the
   * first one.
   */
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

  /** Returns all words of a list, in every combination of the values in it. */
  #allWords(list: readonly WordNode[], source: Source): string[] {
    const words: string[] = [];
    const combinations = this.everyCombination(() => {
      for (const word of list) words.push(...this.words(word, source).map(({ text, glob }) => (glob ? HOLE : text)));
    });
    return combinations > MAX_COMBINATIONS ? [...words, HOLE] : [...new Set(words)];
  }

  /**
   * Reads a part once for each combination of the values of the names in it.
   *
   * @returns the number of combinations
   */
  protected everyCombination(read: (choice: number) => void): number {
    const { scope } = this;
    const picks: Scope['picks'] = new Map();
    for (let choice = 0; choice < combinationsOf(picks) && choice < MAX_COMBINATIONS; choice += 1) {
      scope.choice = choice;
      scope.picks = picks;
      read(choice);
    }
    scope.choice = 0;
    scope.picks = new Map();
    return combinationsOf(picks);
  }

  #define(node: FunctionNode, source: Source): void {
    this.scope.functions.set(node.name.value, { node, source });
    // The shell calls this function automatically.
    if (node.name.value === 'command_not_found_handle') this.call(node.name.value, [], NOTHING, { ...node, source });
  }

  protected maybe(body: () => Input): Input {
    this.scope.conditional += 1;
    const output = body();
    this.scope.conditional -= 1;
    return output;
  }

  /** Whether there are so many commands that it would take too long to read the rest. */
  protected abstract isFull(): boolean;
  abstract gap(id: string, reason: string, place: Place | null): void;
  abstract emit(run: Run): Input;
  abstract call(name: string, args: readonly string[], input: Input, place: Place): Input;
  abstract words(node: WordNode, source: Source): readonly Word[];
  abstract text(node: WordNode, source: Source): string;
  abstract redirections(nodes: readonly RedirectionNode[], source: Source): Redirections;
  protected abstract command(node: CommandNode, source: Source, input: Input): Input;
  /** Reads the substitutions inside tests and arithmetic, which are not commands. */
  protected abstract sweep(node: SyntaxNode | undefined, source: Source): void;
}

/** Whether a body contains no command that could end the loop. Its values only grow, or nothing happens at all. */
function onlyAssigns(body: SyntaxNode): boolean {
  if (body.type === 'CompoundList') return body.commands.every(({ command }) => onlyAssigns(command));
  return body.type === 'Command' && body.name === undefined;
}
