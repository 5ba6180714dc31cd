import { NodeType, parse, walkTree } from 'org-mode-ast';

export interface OrgLink {
  readonly type: 'id' | 'file';
  /** What follows `id:` or `file:`. */
  readonly target: string;
  readonly description: string | null;
  /** The word in capitals right before it; null when there is none. */
  readonly label: string | null;
  readonly line: number;
  /** Of the target alone. */
  readonly span: { readonly start: number; readonly end: number };
}

const HAS_LINK = /\[\[(?:id|file):/;
const LABEL = /(?:^|[\s(:;,])([A-Z][A-Z_]{2,}):?\s*$/;
const BRACKETS = /^\[\[(id|file):([^\]]*)\](?:\[(.*)\])?\]$/;
/** A link whose description goes on in the next line. */
const OPEN_END = /\[\[(?:id|file):([^\]]*)\]\[[^\]]*$/;

/** The links to nodes and files in one line of org prose; what is written as code or verbatim is none. */
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
    // The library gives up on some odd lines. A link too many is checked for nothing; one too few would dangle unseen.
    return [...line.matchAll(/\[\[(?:id|file):/g)].map((match) => match.index);
  }
  const open = OPEN_END.exec(line);
  if (open !== null && !starts.includes(open.index)) starts.push(open.index);
  return starts;
}
