import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DEMO_MODEL } from '@aish/contracts/models';
import { demoScript } from '@aish/demo-model';
import { Visitor, openChromium } from '../support/browser.js';
import { ROOT } from '../support/service.process.js';
import { TuiStack, dialogListens } from '../support/tui.stack.js';
import { DARK, asHtml } from './terminal-html.js';

/**
 * Makes the picture in the README. It shows one goal that waits for a verdict, in a real terminal and on the page, with
 * a real aish and the demo model. Run it after `npm run build`: `node tests/dist/web/readme.picture.main.js`.
 */
const OUT = `${ROOT}docs/web/terminal-and-page.png`;
const MOST_BYTES = 200_000;
const SIZE = { width: 84, height: 30 };
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
    <pre style="margin:0;padding:14px;border-radius:8px;background:#16181d;color:#c8ccd4;font:15px/1.28 'DejaVu Sans Mono',monospace">${asHtml(screen.trimEnd(), DARK)}</pre>
    <img style="height:608px;border-radius:12px;border:1px solid #bbb" src="data:image/png;base64,${phone.toString('base64')}"></body>`);
  await page.waitForTimeout(500);
  await page.screenshot({ path: OUT });
  const { size } = await stat(OUT);
  if (size > MOST_BYTES) throw new Error(`${OUT} has ${size} bytes, more than ${MOST_BYTES}`);
} finally {
  await browser.close();
  await tui.stop();
}
