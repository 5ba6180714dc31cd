import type { Assignment, Command as CommandNode, SyntaxNode } from 'unbash';
import { HOLE } from './command.js';
import { runVariable } from './environment.js';
import { evaluateNumber } from './evaluation.js';
import type { NodeReader } from './reading.js';
import type { Source } from './source.js';

const MAX_ELEMENTS = 64;
/** Variables that a login exports, or whose value changes the behaviour of programs and of the shell itself. */
export const MAY_BE_EXPORTED =
  /^(PATH|HOME|IFS|ENV|SHELL|TMPDIR|CDPATH|PS\d|PROMPT\w*|EDITOR|VISUAL|BROWSER|\w*(PAGER|EDITOR|OPTIONS|OPTS|COMMAND|ASKPASS|CONFIG\w*)|(GIT|LD|DYLD|PYTHON|PERL|RUBY|NODE|LESS|BASH|GREP|RIPGREP|TAR|ZIP|GZIP|MAKE|SSH|RSYNC|CURL|DOCKER|KUBE|AWS|SQLITE|XDG)\w*)$/;

/**
 * Applies assignments that stand alone or precede a command.
 *
 * @param temporary whether they apply to that command only
 */
export function assign(reader: NodeReader, node: CommandNode, source: Source, temporary: boolean): void {
  if (temporary) reader.scope.conditional += 1;
  for (const part of node.prefix) {
    if (part.type !== 'Assignment') continue;
    const { value: node } = part;
    const isProcess = node.type === 'Word' && node.parts?.some(({ type }) => type === 'ProcessSubstitution') === true;
    // The words are expanded only here, because the text inside may contain such assignments again.
    const [made] = isProcess ? reader.words(node, source) : [];
    const value = made === undefined ? assigned(reader, part, source) : HOLE;
    if (part.append === true && node.type === 'Word' && part.index === undefined) {
      // Each combination of a loop's values adds to the previous ones.
      if (reader.scope.choice > 0) reader.scope.forget(part.name);
      else reader.scope.append(part.name, value);
    } else reader.scope.set(part.name, value);
    // Programs see a shell variable if the assignment precedes the program, or if the variable was exported before this
    // text.
    if (temporary || MAY_BE_EXPORTED.test(part.name))
      reader.environment.push({ name: part.name, value, span: source.spanOf(part.pos, part.end) });
    if (reader.scope.integers.has(part.name))
      evaluateNumber(reader, { text: value, glob: false, source, ...placeOf(node) });
    // Some variables hold commands that other programs run.
    if (node.type === 'Word')
      runVariable(reader, part.name, made ?? { text: value, glob: false, source, pos: node.pos, end: node.end });
  }
  if (temporary) reader.scope.conditional -= 1;
}

/** Returns the value of an assignment. Elements of an array are stored as well. */
export function assigned(
  reader: NodeReader,
  part: Pick<Assignment, 'name' | 'value' | 'index' | 'append'>,
  source: Source,
): string {
  const { name, value } = part;
  const { arrays } = reader.scope;
  const key = part.index === undefined ? null : reader.text(part.index, source);
  const isKeyed = reader.scope.keyed.has(name);
  if (key !== null && !isKeyed) evaluateNumber(reader, { text: key, glob: false, source, ...placeOf(value) });
  const before = part.append === true || key !== null ? arrays.get(name) : undefined;
  if (value.type === 'Word' && key === null) return reader.text(value, source);
  const rest = part.append === true && before === undefined ? [reader.scope.get(name) ?? ''] : [];
  const elements = new Map(before);
  if (value.type === 'Word') elements.set(key ?? '0', reader.text(value, source));
  else
    for (const element of value.elements)
      for (const { text } of reader.words(element, source)) {
        const [, own, inner] = /^\[([^\]]*)\]=([\s\S]*)$/.exec(text) ?? [];
        if (own !== undefined && !isKeyed)
          evaluateNumber(reader, { text: own, glob: false, source, ...placeOf(element) });
        elements.set(own ?? String(elements.size), inner ?? text);
      }
  if (rest.length === 0 && elements.size <= MAX_ELEMENTS) arrays.set(name, elements);
  return [...rest, ...elements.values()].filter((text) => text !== '').join(' ');
}

const placeOf = ({ pos, end }: SyntaxNode): { pos: number; end: number } => ({ pos, end });

/** Corrects a mistake of the parser, which takes a part of the assignment `A=<(x) cmd` for the command's name. */
export function withAssignedProcess(node: CommandNode): CommandNode {
  const last = node.prefix.at(-1);
  const { name } = node;
  if (last?.type !== 'Assignment' || name === undefined || last.end !== name.pos || last.value.type !== 'Word')
    return node;
  const next = node.args[0];
  if (next !== undefined && next.type !== 'Word') return node;
  // The parser's objects hold their parts in getters, which a spread would lose.
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
