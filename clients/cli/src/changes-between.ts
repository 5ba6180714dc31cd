/**
 * Returns the parts of a change log that the older one does not have, with their headings. An entry is a list item with
 * its further lines, or a paragraph.
 */
export function changesBetween(older: string, newer: string): readonly string[] {
  const known = new Set(entriesOf(older));
  const lines: string[] = [];
  let headings: string[] = [];
  for (const entry of entriesOf(newer)) {
    const level = /^(#+) /.exec(entry)?.[1]?.length;
    if (level !== undefined) {
      headings = [...headings.filter((each) => each.indexOf(' ') < level), entry];
    } else if (!known.has(entry)) {
      lines.push(...headings, ...entry.split('\n'));
      headings = [];
    }
  }
  return lines;
}

/** Splits Markdown into headings, list items and paragraphs. */
function entriesOf(text: string): readonly string[] {
  return text
    .split(/\n(?=[-#] )|\n\s*\n/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
