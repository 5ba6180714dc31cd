import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { WindowName } from '../support/browser.js';
import { ROOT } from '../support/service.process.js';
import { tellStories } from './story.js';
import { WebStack } from './web.stack.js';

/**
 * Makes the pictures in docs/web, which show the page in Debian's Chromium. Run it after `npm run build`: `node
 * tests/dist/web/pictures.main.js`, with a folder to put them elsewhere.
 */
const out = process.argv[2] ?? `${ROOT}docs/web`;
mkdirSync(out, { recursive: true });
const web = await WebStack.start();
try {
  await tellStories(web);
  const shots: readonly (readonly [WindowName, 'light' | 'dark', hash: string, awaited: string, name: string])[] = [
    ['desk', 'light', 'goals', 'Ended', 'goals-desk'],
    ['phone', 'dark', 'decisions', 'overwrites a disk', 'halt-phone'],
  ];
  for (const [window, colorScheme, hash, awaited, name] of shots) {
    const visitor = await web.visit(window, { colorScheme });
    await visitor.go(hash);
    await visitor.page.getByText(awaited).first().waitFor();
    await visitor.page.waitForTimeout(500);
    await visitor.page.screenshot({ path: join(out, `${name}.png`) });
    await visitor.close();
  }
} finally {
  await web.stop();
}
