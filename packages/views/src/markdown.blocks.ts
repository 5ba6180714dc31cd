import MarkdownIt, { type Token } from 'markdown-it';

/**
 * A block with its inner blocks. For inline text, these are the tokens in order, some of which open or close a mark.
 */
export interface Node {
  readonly token: Token;
  /** The block's own content, if it has no inner blocks. */
  readonly content: string;
  readonly children: readonly Node[];
}

/** A block of the source text. It includes the lines from `from` up to, but not including, `to`, counted from 0. */
export interface Block extends Node {
  readonly from: number;
  readonly to: number;
}

// Entities stay as written, because `&#8238;` would restore a character that was cleaned away. Addresses stay too.
// Reference definitions are shown like other text, because nothing may be missing.
const markdown = new MarkdownIt({ html: true, linkify: true }).disable(['entity', 'reference']);
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
markdown.validateLink = () => true;
markdown.normalizeLink = (url) => url;
markdown.normalizeLinkText = (url) => url;

/**
 * Matches nesting that is too deep. It means nothing to a reader, and the parser drops everything that is nested deeper
 * than 100.
 */
const TOO_DEEP = /^(?:[ \t]*(?:>|[-+*](?=\s)|\d{1,9}[.)](?=\s))){30}/m;

/** Returns the blocks of clean Markdown in order; null for a text that nobody would write as Markdown. */
export function blocksOf(text: string): readonly Block[] | null {
  if (TOO_DEEP.test(text)) return null;
  return treeOf(markdown.parse(text, {})).map((node) => {
    const [from, to] = node.token.map ?? [0, 0];
    return { ...node, from, to };
  });
}

/** Turns opening and closing tokens into nodes with children. */
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
