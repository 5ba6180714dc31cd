import type {
  ArithmeticExpansionPart,
  ParameterExpansionPart,
  ParameterOperation,
  ParsedScript,
  ProcessSubstitutionPart,
  Word as Node,
} from 'unbash';
import { HOLE, type ProcessText, type Word } from './command.js';
import { NOT_TOLD, type Scope } from './scope.js';
import type { Source } from './source.js';

/** The services that expansion needs from the reader. */
export interface Substitution {
  /** Visits a `$( )` and returns what it prints, or HOLE if that is unknown. */
  readonly output: (script: ParsedScript | undefined, source: Source, pos: number, end: number) => string;
  readonly process: (part: ProcessSubstitutionPart, source: Source) => ProcessText;
  /** Visits what an arithmetic expansion runs. */
  readonly arithmetic: (node: ArithmeticExpansionPart, source: Source) => void;
  /** Visits a text that the shell evaluates during expansion: a number, the name of a variable, a prompt. */
  readonly number: (word: Word) => void;
  readonly name: (word: Word) => void;
  readonly prompt: (word: Word) => void;
}

type Read = (word: Node | undefined) => string;

/** Returns the value of `$name`, or null if this text does not show it. */
export function parameter(name: string, scope: Scope): string | null {
  if (/^[#?$!-]$/.test(name)) return '1';
  if (name === '@' || name === '*') return scope.positional.join(' ');
  if (name === '0') return scope.self;
  if (/^\d+$/.test(name)) return scope.positional[Number(name) - 1] ?? (scope.positional === NOT_TOLD ? HOLE : '');
  return scope.get(name);
}

/** Returns the value of `${name…}`, or HOLE if this text does not show it. */
export function modified(
  part: ParameterExpansionPart,
  source: Source,
  scope: Scope,
  substitution: Substitution,
  read: Read,
): string {
  const { operation, prefix } = part;
  const word = (text: string): Word => ({ text, glob: false, source, pos: part.pos, end: part.end });
  const value = valueOf(part, scope, read, (text) => substitution.number(word(text)));
  if (prefix === '!' && !isList(part)) substitution.name(word(value ?? HOLE));
  if (operation?.type === 'Slice')
    for (const bound of [operation.offset, operation.length]) substitution.number(word(read(bound)));
  if (operation?.type === 'Transform' && operation.operand.value === 'P')
    substitution.prompt(word((prefix === '!' ? parameter(value ?? '', scope) : value) ?? HOLE));
  const result = operation === undefined ? value : operated(part.parameter, operation, value, scope, read);
  if (prefix !== undefined) return prefix === '#' ? '1' : HOLE;
  return result ?? HOLE;
}

/** Whether an expansion lists names or keys, which evaluates nothing: `${!array[@]}` and `${!begin*}`. */
const isList = ({ index, operation }: ParameterExpansionPart): boolean =>
  operation?.type === 'Names' || /^[@*]$/.test(index?.value ?? '');

function valueOf(
  { index, parameter: name }: ParameterExpansionPart,
  scope: Scope,
  read: Read,
  number: (text: string) => void,
): string | null {
  if (index === undefined) return parameter(name, scope);
  if (/^[@*]$/.test(index.value)) return scope.get(name);
  const key = read(index);
  if (!scope.keyed.has(name)) number(key);
  const element = scope.element(name, key);
  return element === undefined ? scope.get(name) : element;
}

function operated(
  name: string,
  operation: ParameterOperation,
  value: string | null,
  scope: Scope,
  read: Read,
): string | null {
  switch (operation.type) {
    case 'Default': {
      const operand = read(operation.operand);
      if (operation.operator.endsWith('?')) return value;
      if (operation.operator.endsWith('+')) return value === null || value !== '' ? operand : '';
      if (value !== null && value !== '') return value;
      if (operation.operator.endsWith('=')) scope.set(name, operand);
      return operand;
    }
    case 'Slice':
      return sliced(value, read(operation.offset), operation.length === undefined ? null : read(operation.length));
    case 'Replace': {
      const [pattern, replacement] = [read(operation.pattern), read(operation.replacement)];
      if (value === null || pattern === '' || /[*?[\\]/.test(pattern)) return null;
      return operation.operator === '//'
        ? value.replaceAll(pattern, () => replacement)
        : value.replace(pattern, () => replacement);
    }
    case 'CaseModification':
      // The pattern only selects letters, so only the code inside the pattern matters.
      if (operation.operand !== undefined) read(operation.operand);
      return value === null ? null : inCase(value, operation.operator);
    case 'Remove':
      return without(value, operation.operator, read(operation.operand));
    case 'Transform':
    case 'Names':
    case 'Unknown':
    default: // Only bash itself knows the result.
      return null;
  }
}

function sliced(value: string | null, offset: string, length: string | null): string | null {
  const [from, size] = [Number(offset), Number(length ?? 0)];
  if (value === null || Number.isNaN(from) || Number.isNaN(size)) return null;
  const tail = value.slice(from);
  return length === null ? tail : tail.slice(0, size);
}

function inCase(value: string, operator: string): string {
  if (operator === ',,') return value.toLowerCase();
  if (operator === '^^') return value.toUpperCase();
  const first = value.slice(0, 1);
  return (operator === ',' ? first.toLowerCase() : first.toUpperCase()) + value.slice(1);
}

function without(value: string | null, operator: string, pattern: string): string | null {
  if (value === null || /[*?[\\]/.test(pattern)) return null;
  if (operator.startsWith('#')) return value.startsWith(pattern) ? value.slice(pattern.length) : value;
  return value.endsWith(pattern) ? value.slice(0, value.length - pattern.length) : value;
}
