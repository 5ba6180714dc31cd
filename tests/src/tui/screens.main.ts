import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REHEARSAL_MODEL } from '@aish/contracts';
import { rehearsalScript, startScriptedModel } from '@aish/rehearsal';
import { ROOT } from '../support/service.process.js';
import { Stack } from '../support/stack.js';
import { Terminal } from '../support/terminal.js';

/**
 * Makes docs/screens.md: the terminal UI as it is, driven by keys in a real terminal against a real aish with the
 * rehearsal model. Run it after `npm run build`: `node tests/dist/tui/screens.main.js`.
 */
const COMMAND = `${process.execPath} ${ROOT}clients/tui/bin/aish.mjs`;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const model = await startScriptedModel({ script: rehearsalScript, model: REHEARSAL_MODEL, tokensPerSecond: 2_000 });
const stack = await Stack.start({ modelUrl: model.url, model: REHEARSAL_MODEL });
const pages: string[] = [];
let terminal: Terminal | null = null;
try {
  const env = { AISH_URL: stack.client.url, AISH_TOKEN_FILE: join(stack.dir, 'token'), XDG_STATE_HOME: stack.dir };
  const ui = await Terminal.open(COMMAND, { width: 80, height: 24, env });
  terminal = ui;
  const take = async (title: string, said: string): Promise<void> => {
    // Addresses and times differ each time; what is not the point is made the same.
    const screen = (await ui.screen()).replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:7717').trimEnd();
    pages.push(`## ${title}\n\n${said}\n\n\`\`\`text\n${screen}\n\`\`\`\n`);
  };
  await ui.shows('[aish:rehearsal]>');
  await take('Start', 'What a newcomer sees.');
  await ui.type('look around, please');
  await ui.press('Enter');
  await ui.shows('CONFIRM');
  await pause(700);
  await take('A command of a chat', 'It runs after p; Enter alone is no answer.');
  await ui.press('p');
  await ui.shows(/exit 0 · \d/);
  await pause(700);
  if ((await ui.screen()).includes('CONFIRM')) await ui.press('s');
  await pause(700);
  await take('Chat (F1)', 'What was said, commands and what they printed, tokens and time.');
  await ui.type(':norris find the two largest files under /usr/share and delete the copies you made');
  await ui.press('Enter');
  await ui.shows('NORRIS HALT');
  await pause(700);
  await take('HALT', 'A goal stops before it deletes, and waits as long as it takes.');
  await ui.press('Escape');
  await ui.press('F3');
  await ui.shows('─ DECISIONS');
  await take('Decisions (F3)', 'All that waits for a verdict.');
  await ui.press('d');
  await ui.shows('NORRIS HALT');
  await pause(700);
  await ui.press('p');
  await ui.shows('Nothing waits for a verdict');
  await pause(1_000);
  await ui.press('F2');
  await ui.shows('✓ done');
  await take('Goals (F2)', 'The goals, and what the chosen one does.');
  await ui.type(':remember the nas is at 10.0.0.5');
  await ui.press('Enter');
  await ui.press('F4');
  await ui.shows('the nas is at');
  await pause(500);
  await take('Memory (F4)', 'What is remembered, and above it what models propose to remember.');
  await ui.press('F5');
  await ui.shows('─ KNOWLEDGE');
  await pause(500);
  await take('Knowledge (F5)', 'The knowledge base; / looks in it.');
  await ui.press('F6');
  await ui.shows('─ SESSIONS');
  await pause(700);
  await take('Sessions (F6)', 'Earlier chats and goals; Enter goes on with one.');
  await ui.press('F7');
  await ui.shows('─ HELP');
  await take('Help (F7 or ?)', 'All commands and keys, made of the tables that carry them out.');
} finally {
  await terminal?.close();
  await stack.stop();
  await model.close();
}
const head = `# Screens\n\nMade by \`tests/src/tui/screens.main.ts\`, 80 by 24, with the rehearsal model. Do not edit.\n\n`;
mkdirSync(join(ROOT, 'docs'), { recursive: true });
writeFileSync(join(ROOT, 'docs/screens.md'), head + pages.join('\n'));
process.stdout.write(`docs/screens.md: ${pages.length} screens\n`);
