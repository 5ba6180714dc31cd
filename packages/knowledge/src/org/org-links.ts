import { NodeType, parse, walkTree } from 'org-mode-ast';

export interface OrgLink {
  readonly type: 'id' | 'file';
  /** The text after `id:` or `file:`. */
  readonly target: string;
  readonly description: string | null;
  /** The word in capitals right before the link; null if there is none. */
  readonly label: string | null;
  readonly line: number;
  /** The position of the target alone. */
  readonly span: { readonly start: number; readonly end: number };
}

const HAS_LINK = /\[\[(?:id|file):/;
const LABEL = /(?:^|[\s(:;,])([A-Z][A-Z_]{2,}):?\s*$/;
const BRACKETS = /^\[\[(id|file):([^\]]*)\](?:\[(.*)\])?\]$/;
/** Matches a link whose description continues in the next line. */
const OPEN_END = /\[\[(?:id|file):([^\]]*)\]\[[^\]]*$/;

/** Returns the links to nodes and files in one line of org prose. Code and verbatim text contain no links. */
export function linksIn(line: string, offset: number, lineNumber: number): OrgLink[] {
  if (!HAS_LINK.test(line)) return [];
  const found: OrgLink[] = [];
  for (const start of linkStarts(line)) {
    const end = line.indexOf(']]', start);
    const raw = end === -1 ? `${line.slice(start)}]]` : line.slice(start, end + 2);
    const match = BRACKETS.exec(raw);
    if (match === null) continue;
    const [, type = '', target = '', description] = match;
    const at = offset + start + 3 + type.length;
    found.push({
      type: type === 'id' ? 'id' : 'file',
      target,
      description: description ?? null,
      label: LABEL.exec(line.slice(0, start))?.[1] ?? null,
      line: lineNumber,
      span: { start: at, end: at + target.length },
    });
  }
  return found;
}

function linkStarts(line: string): number[] {
  const starts: number[] = [];
  try {
    walkTree(parse(line), (node) => {
      if (node.is(NodeType.Link)) starts.push(node.start);
      return false;
    });
  } catch {
    // The library fails on some unusual lines. An extra link only costs a check, but a missed link could become broken
    // unnoticed.
    return [...line.matchAll(/\[\[(?:id|file):/g)].map((match) => match.index);
  }
  const open = OPEN_END.exec(line);
  if (open !== null && !starts.includes(open.index)) starts.push(open.index);
  return starts;
}
