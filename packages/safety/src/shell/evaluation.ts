import { forEachChild, type ParsedScript, type SyntaxNode, type Word as WordNode, type WordPart } from 'unbash';
import { HOLE, type Word } from './command.js';
import { isUnresolved } from './outputs.js';
import type { Reader } from './reading.js';
import type { Source } from './source.js';

/** Returns parts of the parsed text as text. */
export interface Texts {
  text(parts: readonly WordPart[] | undefined, value: string, source: Source): string;
  output(script: ParsedScript | undefined, source: Source, pos: number, end: number): string;
  script(script: ParsedScript, source: Source): void;
}

/** Variables that the shell or the system sets to numbers. */
const NUMBERS =
  /^(RANDOM|SRANDOM|SECONDS|LINENO|UID|EUID|PPID|BASHPID|SHLVL|COLUMNS|LINES|EPOCHSECONDS|EPOCHREALTIME|OPTIND|HISTCMD|PIPESTATUS|BASH_VERSINFO|BASH_SUBSHELL|GROUPS|COMP_CWORD)$/;
const MAX_NAMES = 64;

/**
 * Reads a text that is evaluated as a number: `x='a[$(rm f)]'; echo $((x))`. Bash evaluates the text of a variable, and
 * runs the code in its subscripts.
 */
export function evaluateNumber(reader: Reader, word: Word, seen = new Set<string>()): void {
  const { scope } = reader;
  const text = word.text.replace(/\$(\d)/g, (_, at: string) => scope.positional[Number(at) - 1] ?? HOLE);
  if (isUnresolved(text)) return notTold(reader, word);
  if (runs(text)) return again(reader, word, text);
  const plain = text.replace(/\$[#?$!-]/g, '1').replace(/\b(\w+)\[[^\]]*\]/g, (all, name: string) =>
    scope.keyed.has(name) ? name : all,
  ); // prettier-ignore
  for (const [all, name = '', assigns] of plain.matchAll(/(?<![\w#])([A-Za-z_]\w*)(\s*=(?!=))?/g)) {
    if (all !== '' && assigns === undefined && !seen.has(name) && seen.size < MAX_NAMES) {
      seen.add(name);
      evaluateValues(reader, word, name, seen);
    }
  }
  for (const [, name = ''] of plain.matchAll(/([A-Za-z_]\w*)\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)/g)) scope.numbers.add(name);
}

function evaluateValues(reader: Reader, word: Word, name: string, seen: Set<string>): void {
  if (NUMBERS.test(name) || reader.scope.numbers.has(name)) return;
  const values = reader.scope.values(name);
  // The value was set before this text, so it is unknown whether it is a number.
  if (values === undefined) return void (reader.scope.inherits = true);
  for (const text of values) evaluateNumber(reader, { ...word, text }, seen);
}

/**
 * Reads a variable's name, for example in `printf -v 'a[$(rm f)]' x`, `unset`, `read` or `${!x}`. A name may have a
 * subscript, which the shell evaluates.
 */
export function evaluateName(reader: Reader, word: Word): void {
  if (isUnresolved(word.text)) return notTold(reader, word);
  const [, name = '', subscript] = /^([A-Za-z_]\w*)\[([\s\S]*)\]/.exec(word.text) ?? [];
  if (subscript === undefined || /^[@*]$/.test(subscript)) return;
  if (runs(subscript)) again(reader, word, subscript);
  else if (!reader.scope.keyed.has(name)) evaluateNumber(reader, { ...word, text: subscript });
}

/** Reads a value that is expanded like a prompt (`${p@P}`), which runs the code in it. */
export function evaluatePrompt(reader: Reader, word: Word): void {
  if (isUnresolved(word.text)) notTold(reader, word);
  else if (runs(word.text)) again(reader, word, word.text);
}

const runs = (text: string): boolean => /\$\(|`|\$\{/.test(text);

const again = (reader: Reader, word: Word, text: string): void =>
  void reader.code(word, { kind: 'none' }, `: "${text.replaceAll('"', '\\"')}"`);

const notTold = (reader: Reader, word: Word): void =>
  reader.gap('unresolved.arithmetic', 'bash runs $( ) inside a calculated value, which is known only when it runs', word); // prettier-ignore

/**
 * Reads a test or an arithmetic expression: the commands that its substitutions run, and the texts that it evaluates.
 */
export function evaluateNode(reader: Reader, texts: Texts, node: SyntaxNode, source: Source): void {
  const { pos, end } = node;
  const word = (text: string): Word => ({ text, source, pos, end, glob: false });
  const read = ({ parts, value }: WordNode): Word => word(texts.text(parts, value, source));
  if (node.type.startsWith('Arithmetic')) evaluateNumber(reader, word(filledIn(texts, node, source)));
  else if (node.type === 'Word') read(node);
  else if (node.type === 'Script') texts.script(node, source);
  else if (node.type === 'TestUnary') {
    const operand = read(node.operand);
    if (node.operator === '-v' || node.operator === '-R') evaluateName(reader, operand);
  } else if (node.type === 'TestBinary') {
    const operands = [read(node.left), read(node.right)];
    if (/^-(eq|ne|lt|le|gt|ge)$/.test(node.operator)) for (const operand of operands) evaluateNumber(reader, operand);
  } else forEachChild(node, (child) => evaluateNode(reader, texts, child, source));
}

/** Returns the text of an arithmetic expression after its expansions. */
function filledIn(texts: Texts, node: SyntaxNode, source: Source): string {
  let made = '';
  let at = node.pos;
  const visit = (child: SyntaxNode): void => {
    const filled =
      child.type === 'ArithmeticCommandExpansion'
        ? texts.output(child.script, source, child.pos, child.end)
        : child.type === 'ArithmeticWord' && child.parts !== undefined
          ? texts.text(child.parts, child.value, source)
          : null;
    if (filled === null) return forEachChild(child, visit);
    made += source.text.slice(at, child.pos) + filled;
    at = child.end;
  };
  visit(node);
  return made + source.text.slice(at, node.end);
}
