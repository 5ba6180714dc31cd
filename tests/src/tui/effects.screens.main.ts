import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SessionList } from '@aish/contracts/chat';
import { plan, plans } from '../support/plan.js';
import { ROOT } from '../support/service.process.js';
import { TERMINAL_SIZES, TuiStack, dialogListens } from '../support/tui.stack.js';

/**
 * Generates docs/effects-screens.md, which shows effects in the terminal UI at both sizes, with keys in a real
 * aish with layers. Run it after `npm run build`: `node tests/dist/tui/effects.screens.main.js`.
 */
const FILL = 'for n in 1 2 3; do echo "note $n" > 2025/n$n.md; done';
const script = plans({
  'hello there': plan(
    'Hello. What is there to do?',
    `I put each note into the folder of its year.\nCMD: mkdir -p 2025 2026 && ${FILL}`,
    'One of them is empty talk.\nCMD: rm 2025/n3.md && mv 2025/n2.md 2026/',
    'Your notes are sorted.',
    'I keep its first line.\nCMD: cp /etc/hostname report.md',
    'The report is one line.',
    'I take the old films out of the list.\nCMD: sed -i /19/d /mnt/media/films && rm /mnt/media/films.old',
    'The list has new films only.',
  ),
});

const FILMS = ['Metropolis 1927', 'Solaris 1972', 'Arrival 2016', 'Dune 2021'];

const pages: string[] = [];
for (const size of TERMINAL_SIZES) {
  const media = mkdtempSync(join(tmpdir(), 'aish-media-'));
  chmodSync(media, 0o777);
  const folders = [{ name: 'media', hostPath: media, containerPath: '/mnt/media', mode: 'held' }];
  for (const [name, films] of Object.entries({ films: FILMS, 'films.old': FILMS.slice(0, 2) })) {
    writeFileSync(join(media, name), `${films.join('\n')}\n`);
    chmodSync(join(media, name), 0o666);
  }
  const env = { SANDBOX_LAYERS: 'on', SANDBOX_HOST_FOLDERS: JSON.stringify(folders) };
  const tui = await TuiStack.start({ script, size, env });
  try {
    const ui = await tui.send('hello there');
    const take = async (title: string, caption: string): Promise<void> => {
      const screen = (await ui.screen()).replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:7717').trimEnd();
      const { width, height } = size;
      pages.push(`## ${title}, ${width} by ${height}\n\n${caption}\n\n\`\`\`text\n${screen}\n\`\`\`\n`);
    };
    await ui.shows('What is there to do?');
    await ui.submit(':set --trust undoable');
    await ui.shows(/c\d+: trust undoable/);
    await ui.submit('sort my notes');
    await ui.shows('Your notes are sorted');
    await take('Effects', 'A chat with trust `undoable` goes on by itself; below each command stands what it did.');
    await ui.press('M-u');
    await ui.shows(/restore the workspace/);
    await dialogListens();
    await take('Undo (Alt-U)', 'aish first shows what would be restored and lost.');
    await ui.press('Escape');
    await ui.press('M-c');
    await ui.shows('its changes to');
    await take(
      'All that a command did to files (Alt-C)',
      'Every file, however many there are, as long as its layer is kept.',
    );
    await ui.press('Escape');
    const [chat] = (await tui.client.json(SessionList, 'GET', '/v1/sessions?kind=chat')).items;
    const path = `/v1/sessions/${chat?.id}/files/file?path=report.md`;
    const body = 'What was done in June.\nWhat was done in July.\n';
    await tui.client.request('PUT', path, body, { 'content-type': 'application/octet-stream' });
    await ui.submit('shorten my report');
    await ui.shows(/overwrote|overwritten/);
    await dialogListens();
    await take(
      'HALT after the fact',
      'A file of yours was overwritten: it counts once you have seen that, or is rolled back.',
    );
    await ui.press('s');
    await ui.shows('The report is one line');
    const given = { hostFolders: ['media'] };
    await tui.client.request('PATCH', `/v1/sessions/${chat?.id}`, given);
    await ui.submit('only new films');
    await ui.shows(/CONFIRM COMMAND|confirm command d2/);
    // A decision does not open while a person types. This key opens it in any case.
    if (!(await ui.screen()).includes('CONFIRM COMMAND')) await ui.press('C-d');
    await ui.shows('CONFIRM COMMAND');
    await dialogListens();
    await take(
      'A held folder of the host',
      'Nothing of it is on the host before you have seen it: what differs, and which folder is written to.',
    );
    await ui.press('NPage');
    await ui.press('p');
    await ui.shows('The list has new films only');
    await ui.press('M-u');
    await ui.shows(/restore the workspace/);
    await dialogListens();
    await take('Undo of what was done in a held folder', 'The files of the host come back, too.');
    await ui.press('Escape');
  } finally {
    await tui.stop();
    rmSync(media, { recursive: true, force: true });
  }
}
const head = '# Screens of effects\n\nMade by `tests/src/tui/effects.screens.main.ts`. Do not edit.\n\n';
writeFileSync(join(ROOT, 'docs/effects-screens.md'), head + pages.join('\n'));
process.stdout.write(`docs/effects-screens.md: ${pages.length} screens\n`);
