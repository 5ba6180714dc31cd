/** The colours of a terminal: its background, its text colour, and the sixteen that programs name. */
export interface TerminalColours {
  readonly ground: string;
  readonly ink: string;
  readonly named: readonly string[];
}

export const DARK: TerminalColours = {
  ground: '#16181d',
  ink: '#c8ccd4',
  named: 'black #e06c75 #98c379 #e5c07b #61afef #c678dd #56b6c2 #c8ccd4 #7f848e #e06c75 #98c379 #e5c07b #61afef #c678dd #56b6c2 #ffffff'.split(' '), // prettier-ignore
};
export const LIGHT: TerminalColours = {
  ground: '#fafafa',
  ink: '#24292f',
  named: 'black #c0262d #2f7d32 #8a6100 #1f5fbf #8a3ab9 #0b7285 #57606a #6e7781 #c0262d #2f7d32 #8a6100 #1f5fbf #8a3ab9 #0b7285 #24292f'.split(' '), // prettier-ignore
};

const COLOUR = new RegExp(String.raw`${String.fromCodePoint(27)}\[([\d;]*)m`);

type Style = Readonly<Record<string, string>>;

/** Returns the content of a screen, with its escape sequences for colours, as HTML. */
export function asHtml(screen: string, colours: TerminalColours): string {
  let style: Style = {};
  const html = screen.split(COLOUR).map((part, at) => {
    if (at % 2 === 1) {
      for (const code of part.split(';').map(Number)) style = styleAfter(style, code, colours.named);
      return '';
    }
    const css = Object.entries(shownStyle(style, colours)).map(([name, value]) => `${name}:${value}`);
    return part === '' ? '' : `<span style="${css.join(';')}">${escaped(part)}</span>`;
  });
  return html.join('');
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function styleAfter(style: Style, code: number, named: readonly string[]): Style {
  if (code === 0) return {};
  if (code === 1) return { ...style, 'font-weight': 'bold' };
  if (code === 2) return { ...style, opacity: '0.65' };
  if (code === 7) return { ...style, inverse: 'yes' };
  if (code === 22) {
    const { 'font-weight': _bold, opacity: _dim, ...rest } = style;
    return rest;
  }
  if (code >= 30 && code <= 37) return { ...style, color: named[code - 30] ?? '' };
  if (code >= 90 && code <= 97) return { ...style, color: named[code - 82] ?? '' };
  if (code >= 40 && code <= 47) return { ...style, background: named[code - 40] ?? '' };
  return style;
}

/** Swaps the text colour and the background of inverse text, whichever came first. */
function shownStyle({ inverse, ...style }: Style, { ink, ground }: TerminalColours): Style {
  if (inverse === undefined) return style;
  return { ...style, background: style['color'] ?? ink, color: style['background'] ?? ground };
}
