import type { Token, Tokens } from 'marked';
import { span, type Span, type Style } from '../text/line.js';

/** Inline Markdown as spans; `style` is what plain text has here. */
export function inlineSpans(tokens: readonly Token[] | undefined, style: Style = 'plain'): Span[] {
  return (tokens ?? []).flatMap((token): Span[] => {
    switch (token.type) {
      case 'strong':
        return inlineSpans(token.tokens, style === 'plain' ? 'bold' : style);
      case 'em':
        return inlineSpans(token.tokens, style === 'plain' ? 'italic' : style);
      case 'del':
        return inlineSpans(token.tokens, 'dim');
      case 'codespan':
        return [span((token as Tokens.Codespan).text, 'code')];
      case 'checkbox': // its list draws it
        return [];
      case 'br':
        return [span('\n', style)];
      case 'link':
        return linkSpans(token as Tokens.Link, style);
      case 'image': {
        const { text, href } = token as Tokens.Image;
        return [span(`${text === '' ? 'image' : text} `, style), span(href, 'link')];
      }
      default:
        // Text with formatting in it (in list items) has tokens of its own.
        if ('tokens' in token && token.tokens !== undefined) return inlineSpans(token.tokens, style);
        return [span('text' in token && typeof token.text === 'string' ? token.text : token.raw, style)];
    }
  });
}

/** The address stands beside the text: nobody sees where a link goes in a terminal. */
function linkSpans({ href, text, tokens }: Tokens.Link, style: Style): Span[] {
  if (text === href || href === `mailto:${text}`) return [span(text, 'link')];
  return [...inlineSpans(tokens, style), span(' ', style), span(`(${href})`, 'link')];
}
