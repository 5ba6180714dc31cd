import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DEMO_MODEL } from '@aish/contracts/models';
import { demoScript } from '@aish/demo-model';
import { Visitor, openChromium } from '../support/browser.js';
import { ROOT } from '../support/service.process.js';
import { TuiStack, dialogListens } from '../support/tui.stack.js';

/**
 * Makes the picture of the README: one goal that waits for a verdict, in a real terminal and on the page, against a real
 * aish with the demo model. Run it after `npm run build`: `node tests/dist/web/readme.picture.main.js`.
 */
const OUT = `${ROOT}docs/web/terminal-and-page.png`;
const MOST_BYTES = 200_000;
const SIZE = { width: 84, height: 30 };
/** The sixteen colours that the terminal UI uses, on a dark ground. */
const COLOURS = 'black #e06c75 #98c379 #e5c07b #61afef #c678dd #56b6c2 #c8ccd4 #7f848e #e06c75 #98c379 #e5c07b #61afef #c678dd #56b6c2 #ffffff'.split(' '); // prettier-ignore

const COLOUR = new RegExp(String.raw`${String.fromCodePoint(27)}\[([\d;]*)m`);

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** The content of a screen, with its escape sequences for colours, as HTML. */
function asHtml(screen: string): string {
  let style: Readonly<Record<string, string>> = {};
  const html = screen.split(COLOUR).map((part, at) => {
    if (at % 2 === 1) {
      for (const code of part.split(';').map(Number)) style = styleAfter(style, code);
      return '';
    }
    const css = Object.entries(shownStyle(style)).map(([name, value]) => `${name}:${value}`);
    return part === '' ? '' : `<span style="${css.join(';')}">${escaped(part)}</span>`;
  });
  return html.join('');
}

function styleAfter(style: Readonly<Record<string, string>>, code: number): Readonly<Record<string, string>> {
  if (code === 0) return {};
  if (code === 1) return { ...style, 'font-weight': 'bold' };
  if (code === 2) return { ...style, opacity: '0.65' };
  if (code === 7) return { ...style, inverse: 'yes' };
  if (code >= 30 && code <= 37) return { ...style, color: COLOURS[code - 30] ?? '' };
  if (code >= 90 && code <= 97) return { ...style, color: COLOURS[code - 82] ?? '' };
  if (code >= 40 && code <= 47) return { ...style, background: COLOURS[code - 40] ?? '' };
  return style;
}

/** Ink and ground of inverse text change places, whichever colour came first. */
function shownStyle({ inverse, ...style }: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (inverse === undefined) return style;
  return { ...style, background: style['color'] ?? '#c8ccd4', color: style['background'] ?? '#16181d' };
}

const tui = await TuiStack.start({ script: demoScript, model: DEMO_MODEL, size: SIZE });
const browser = await openChromium();
try {
  const ui = await tui.open();
  await ui.submit(':norris find the three largest files under /usr/share and delete the copies you made');
  await ui.shows('NORRIS HALT');
  await dialogListens();
  const screen = (await ui.screenWithColours()).replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:7717');
  const visitor = await Visitor.open(browser, tui.client.url, 'phone', { colorScheme: 'light' });
  const token = (await readFile(join(tui.stack.dir, 'token'), 'utf8')).trim();
  await visitor.signIn(token);
  await visitor.go('decisions');
  await visitor.page.getByText('rm -rf copies').first().waitFor();
  await visitor.page.waitForTimeout(500);
  const phone = await visitor.page.screenshot();
  await visitor.close();
  const page = await browser.newPage({ viewport: { width: 1160, height: 640 } });
  await page.setContent(`<body style="margin:0;display:flex;gap:24px;padding:16px;background:#fff;box-sizing:border-box">
    <pre style="margin:0;padding:14px;border-radius:8px;background:#16181d;color:#c8ccd4;font:15px/1.28 'DejaVu Sans Mono',monospace">${asHtml(screen.trimEnd())}</pre>
    <img style="height:608px;border-radius:12px;border:1px solid #bbb" src="data:image/png;base64,${phone.toString('base64')}"></body>`);
  await page.waitForTimeout(500);
  await page.screenshot({ path: OUT });
  const { size } = await stat(OUT);
  if (size > MOST_BYTES) throw new Error(`${OUT} has ${size} bytes, more than ${MOST_BYTES}`);
} finally {
  await browser.close();
  await tui.stop();
}
