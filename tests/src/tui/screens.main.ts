import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEMO_MODEL } from '@aish/contracts/models';
import { demoScript } from '@aish/demo-model';
import { rememberLinkedNodes } from '../support/linked-nodes.js';
import { proposing } from '../support/plan.js';
import { ROOT } from '../support/service.process.js';
import { TERMINAL_SIZES, TuiStack, dialogListens } from '../support/tui.stack.js';

/**
 * Generates docs/screens.md and the screens in docs/terminal.md. They show the terminal UI, with keys in a real
 * terminal with a real aish and the demo model. Run it after `npm run build`: `node tests/dist/tui/screens.main.js`.
 */
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const folder = mkdtempSync(join(tmpdir(), 'aish-screens-'));
const tui = await TuiStack.start({
  script: proposing('- pref: prefers short answers\n- fact: the proxy runs nginx', demoScript),
  model: DEMO_MODEL,
  size: TERMINAL_SIZES[0],
  env: { KNOWLEDGE_DIR: join(folder, 'kb'), CONFIRM_READS: 'true' },
});
const pages: string[] = [];
const screens = new Map<string, string>();
try {
  await rememberLinkedNodes(tui.client);
  const ui = await tui.open();
  const take = async (title: string, caption: string): Promise<void> => {
    // Addresses, kernels and times differ each time, so they are replaced by constants.
    const screen = (await ui.screen())
      .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:7717')
      .replaceAll(/Linux \d\S+/g, 'Linux 6.12.0')
      .trimEnd();
    screens.set(title, screen);
    pages.push(`## ${title}\n\n${caption}\n\n\`\`\`text\n${screen}\n\`\`\`\n`);
  };
  await take('Start', 'The screen of a new user.');
  await ui.submit('look around, please');
  await ui.shows('CONFIRM');
  await dialogListens();
  await take('A command of a chat', 'The command runs after you press p. Enter alone does not answer.');
  await ui.press('p');
  await ui.shows(/exit 0 · \d/);
  await dialogListens();
  if ((await ui.screen()).includes('CONFIRM')) await ui.press('s');
  await dialogListens();
  await take('Chat (F1)', 'Messages, commands with their output, tokens and time.');
  await ui.submit(':norris find the two largest files under /usr/share and delete the copies you made');
  await ui.shows('NORRIS HALT');
  await dialogListens();
  await take('HALT', 'A goal stops before it deletes files, and waits as long as necessary.');
  await ui.press('Escape');
  await ui.press('F3');
  await ui.shows('─ DECISIONS');
  await take('Decisions (F3)', 'All decisions that wait for a verdict.');
  await ui.press('d');
  await ui.shows('NORRIS HALT');
  await dialogListens();
  await ui.press('p');
  await ui.shows('No pending decisions');
  await pause(1_000);
  await ui.press('F2');
  await ui.shows(/▸ +1 ✓ done[\s\S]* ✓ done/);
  await take('Goals (F2)', 'All goals, and the history of the selected one.');
  await ui.press('Enter');
  await ui.shows('ACTIONS FOR g1');
  await take('Actions (Enter or .)', 'The actions for the selected goal. Other lists have their own.');
  await ui.press('Escape');
  await ui.press('o');
  await ui.shows('Esc closes it');
  await take('An output (Alt-O, in a list o)', 'The full stored output. / searches it, u shows the previous one.');
  await ui.press('Escape');
  await ui.press('C-p');
  await ui.shows('FIND ANYTHING');
  await ui.type('memory');
  await ui.shows(/do: memory/);
  await take('Find anything (Ctrl-P)', 'All commands and keys, with search.');
  await ui.press('Escape');
  await ui.submit(':remember the nas is at 10.0.0.5');
  await ui.submit(':memory summarize');
  await ui.shows(/MEMORY 3[\s\S]*proposed by/);
  await pause(500);
  await take('Memory (F4)', 'Memories proposed by models, then the stored ones.');
  await ui.press('F5');
  await ui.shows('─ KNOWLEDGE');
  await pause(500);
  await take('Knowledge (F5)', 'The knowledge base. / searches it.');
  await ui.press('F6');
  await ui.shows('─ SESSIONS');
  await dialogListens();
  await take('Sessions (F6)', 'Earlier chats and goals. Enter continues one.');
  await ui.press('F7');
  await ui.shows('─ HELP');
  await take('Help (F7 or ?)', 'The keys of the last view, then all commands and keys.');
} finally {
  await tui.stop();
  rmSync(folder, { recursive: true, force: true });
}
const head = `# Screens\n\nMade by \`tests/src/tui/screens.main.ts\`, 80 by 24, with the demo model. Do not edit.\n\n`;
mkdirSync(join(ROOT, 'docs'), { recursive: true });
writeFileSync(join(ROOT, 'docs/screens.md'), head + pages.join('\n'));
const guide = join(ROOT, 'docs/terminal.md');
const shown = readFileSync(guide, 'utf8').replaceAll(
  /(<!-- screen: (.+) -->\n)[^]*?(<!-- \/screen -->)/g,
  (_, begin: string, title: string, end: string) => {
    const screen = screens.get(title);
    if (screen === undefined) throw new Error(`docs/terminal.md wants a screen “${title}”; there is none`);
    return `${begin}\`\`\`text\n${screen}\n\`\`\`\n${end}`;
  },
);
writeFileSync(guide, shown);
process.stdout.write(`docs/screens.md: ${pages.length} screens\n`);
