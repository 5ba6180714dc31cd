import { outputLines } from '@aish/contracts/output-lines';
import { span, type Line, type Span } from './line.js';
import { colouredText } from './sanitise.js';

/** Returns each line of a page of output, cleaned, with the command's colours. */
export function linesOfOutput(output: string): readonly Line[] {
  const text = outputLines(output)
    .map((each) => (each.endsWith('\n') ? each.slice(0, -1) : each))
    .join('\n');
  const lines: Span[][] = [[]];
  for (const { text: piece, style } of colouredText(text)) {
    for (const [index, part] of piece.split('\n').entries()) {
      if (index > 0) lines.push([]);
      if (part !== '') lines.at(-1)?.push(span(part, style));
    }
  }
  return lines;
}
