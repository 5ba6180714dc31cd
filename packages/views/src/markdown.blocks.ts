import MarkdownIt, { type Token } from 'markdown-it';

/** A block with those inside of it; of a text the pieces in order, of which some open and others close. */
export interface Node {
  readonly token: Token;
  /** What it says itself, when nothing is inside of it. */
  readonly content: string;
  readonly children: readonly Node[];
}

/** A block of the text itself: lines [from, to), counted from 0. */
export interface Block extends Node {
  readonly from: number;
  readonly to: number;
}

// Entities stay as they are written: `&#8238;` would put a character in that was cleaned away. So do addresses. And what
// a line defines for others is shown like any text, for nothing that was written may be missing.
const markdown = new MarkdownIt({ html: true, linkify: true }).disable(['entity', 'reference']);
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
markdown.validateLink = () => true;
markdown.normalizeLink = (url) => url;
markdown.normalizeLinkText = (url) => url;

/** Deeper nesting means nothing to a reader, and the parser leaves out what is nested deeper than 100. */
const TOO_DEEP = /^(?:[ \t]*(?:>|[-+*](?=\s)|\d{1,9}[.)](?=\s))){30}/m;

/** The blocks of clean Markdown, in order; null when it is no text that a person would write as Markdown. */
export function blocksOf(text: string): readonly Block[] | null {
  if (TOO_DEEP.test(text)) return null;
  return treeOf(markdown.parse(text, {})).map((node) => {
    const [from, to] = node.token.map ?? [0, 0];
    return { ...node, from, to };
  });
}

/** Tokens that open and close as nodes with children. */
function treeOf(tokens: readonly Token[]): readonly Node[] {
  const top: Node[] = [];
  const open: Node[][] = [top];
  for (const token of tokens) {
    if (token.nesting < 0) {
      open.pop();
      continue;
    }
    const children: Node[] = [];
    const pieces = token.children?.map((piece) => ({ token: piece, content: piece.content, children: [] }));
    open.at(-1)?.push({ token, content: token.content, children: pieces ?? children });
    if (token.nesting > 0) open.push(children);
  }
  return top;
}
