import type { BraceExpansionPart, DoubleQuotedChild, ExtendedGlobPart, GlobPart, Word as Node, WordPart } from 'unbash';
import { HOLE, type ProcessText, type Word } from './command.js';
import { modified, parameter, type Substitution } from './parameters.js';
import type { Scope } from './scope.js';
import type { Source } from './source.js';

const MAX_WORDS = 64;

interface Field {
  text: string;
  present: boolean;
  glob: boolean;
}

/** Returns the words that the shell makes from one word: none, one or many. */
export function expand(node: Node, source: Source, scope: Scope, substitution: Substitution): readonly Word[] {
  const place = { source, pos: node.pos, end: node.end };
  const { parts } = node;
  if (parts === undefined) return [{ text: node.value, glob: false, ...place }];
  let variants: Field[][] = [[{ text: '', present: false, glob: false }]];
  let process: ProcessText | undefined;
  const add = (text: string, present = true, glob = false): void => {
    for (const fields of variants) {
      const last = fields.at(-1);
      if (last === undefined) continue;
      last.text += text;
      last.present ||= present || text !== '';
      last.glob ||= glob;
    }
  };
  const addList = (texts: readonly string[], present: boolean): void => {
    texts.forEach((text, index) => {
      if (index > 0) for (const fields of variants) fields.push({ text: '', present: false, glob: false });
      add(text, present);
    });
  };
  const addSplit = (text: string): void => {
    const separators = separatorsOf(scope);
    if (!separators.test(text)) return add(text, false, /[*?[]/.test(text));
    const pieces = text.split(separators).slice(0, MAX_WORDS);
    addList(pieces, false);
  };
  for (const part of parts) {
    switch (part.type) {
      case 'DoubleQuoted':
      case 'LocaleString':
        if (part.parts.length === 1 && isAllArguments(part.parts[0])) addList(scope.positional, true);
        else if (part.parts.length === 1 && isWholeArray(part.parts[0]))
          addList(
            part.parts.flatMap((child) => quoted(child, source, scope, substitution).split(' ')),
            true,
          );
        else add(part.parts.map((child) => quoted(child, source, scope, substitution)).join(''));
        break;
      case 'SimpleExpansion':
      case 'ParameterExpansion':
      case 'CommandExpansion':
      case 'ArithmeticExpansion':
        addSplit(quoted(part, source, scope, substitution));
        break;
      case 'ProcessSubstitution':
        process = substitution.process(part, source);
        add('/dev/fd/63');
        break;
      case 'BraceExpansion': {
        visit(part, source, scope, substitution);
        const choices = alternatives(part.text);
        if (choices === null) add(part.text);
        // There are too many words to read, so their combination is unknown.
        else if (variants.length * choices.length > MAX_WORDS) add(HOLE);
        else variants = product(variants, choices);
        break;
      }
      case 'Glob':
      case 'ExtendedGlob':
        visit(part, source, scope, substitution);
        add(part.text, true, true);
        break;
      case 'Literal':
      case 'SingleQuoted':
      case 'AnsiCQuoted':
        add(part.value);
        break;
    }
  }
  return variants
    .flat()
    .filter((field) => field.present)
    .slice(0, MAX_WORDS)
    .map(({ text, glob }) => ({ text, glob, ...place, ...(process === undefined ? {} : { process }) }));
}

const SPACES = /\s+/;

/** Returns the separators that split unquoted expansions: spaces, and the characters that the text put into IFS. */
function separatorsOf(scope: Scope): RegExp {
  const own = (scope.get('IFS') ?? '').replace(/\s/g, '').slice(0, 8);
  return own === '' ? SPACES : new RegExp(`\\s+|[${own.replace(/[\\\]^-]/g, '\\$&')}]`);
}

/** Expands a word that is never split: the value of an assignment, or the body of a here-document. */
export function expandText(
  parts: readonly WordPart[] | undefined,
  value: string,
  source: Source,
  scope: Scope,
  substitution: Substitution,
): string {
  if (parts === undefined) return value;
  return parts.map((part) => whole(part, source, scope, substitution)).join('');
}

function whole(part: WordPart, source: Source, scope: Scope, substitution: Substitution): string {
  switch (part.type) {
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.map((child) => quoted(child, source, scope, substitution)).join('');
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return part.value;
    case 'Glob':
    case 'ExtendedGlob':
    case 'BraceExpansion':
      visit(part, source, scope, substitution);
      return part.text;
    case 'ProcessSubstitution':
      substitution.process(part, source);
      return HOLE;
    case 'SimpleExpansion':
    case 'ParameterExpansion':
    case 'CommandExpansion':
    case 'ArithmeticExpansion':
    default:
      return quoted(part, source, scope, substitution);
  }
}

/** Reads the commands that substitutions inside a pattern or braces run. */
function visit(
  { parts = [] }: GlobPart | ExtendedGlobPart | BraceExpansionPart,
  source: Source,
  scope: Scope,
  substitution: Substitution,
): void {
  for (const part of parts) whole(part, source, scope, substitution);
}

function quoted(part: DoubleQuotedChild, source: Source, scope: Scope, substitution: Substitution): string {
  switch (part.type) {
    case 'Literal':
      return part.value;
    case 'SimpleExpansion':
      return parameter(part.text.slice(1), scope) ?? HOLE;
    case 'ParameterExpansion':
      return modified(part, source, scope, substitution, (word) =>
        word === undefined ? '' : expandText(word.parts, word.value, source, scope, substitution),
      );
    case 'CommandExpansion':
      return substitution.output(part.script, source, part.pos, part.end);
    case 'ArithmeticExpansion':
    default:
      substitution.arithmetic(part, source);
      return '1';
  }
}

function isAllArguments(part: DoubleQuotedChild | undefined): boolean {
  return (
    (part?.type === 'SimpleExpansion' && part.text === '$@') ||
    (part?.type === 'ParameterExpansion' && part.parameter === '@' && part.operation === undefined)
  );
}

/** Whether a part is `"${x[@]}"`. The reader stores an array as its words, joined by spaces. */
const isWholeArray = (part: DoubleQuotedChild | undefined): boolean =>
  part?.type === 'ParameterExpansion' && part.index?.value === '@';

function product(variants: readonly Field[][], choices: readonly string[]): Field[][] {
  return variants
    .flatMap((fields) =>
      choices.map((choice) => {
        const copy = fields.map((field) => ({ ...field }));
        const last = copy.at(-1);
        if (last !== undefined) {
          last.text += choice;
          last.present ||= choice !== '';
        }
        return copy;
      }),
    )
    .slice(0, MAX_WORDS);
}

/** Expands `{a,b}` to a and b. Null if the braces contain a range, because its numbers and letters are not commands. */
function alternatives(text: string): readonly string[] | null {
  const inner = text.slice(1, -1);
  const pieces: string[] = [];
  let depth = 0;
  let quote = '';
  let current = '';
  for (let at = 0; at < inner.length; at += 1) {
    const char = inner.charAt(at);
    if (char === '\\') {
      current += inner.charAt(at + 1);
      at += 1;
    } else if (quote !== '') {
      if (char === quote) quote = '';
      else current += char;
    } else if (char === '"' || char === "'") quote = char;
    else if (char === ',' && depth === 0) {
      pieces.push(current);
      current = '';
    } else {
      if (char === '{') depth += 1;
      if (char === '}') depth -= 1;
      current += char === '$' || char === '`' ? HOLE : char;
    }
  }
  if (pieces.length === 0) return null;
  pieces.push(current);
  return pieces
    .flatMap((piece) => (/^\{.*,.*\}$/.test(piece) ? (alternatives(piece) ?? [piece]) : [piece]))
    .slice(0, MAX_WORDS);
}
