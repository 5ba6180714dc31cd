import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { plan, plans } from '../../support/plan.js';
import { TuiStack } from '../../support/tui.stack.js';

const SIZE = { width: 80, height: 24 };

const talk = plans({ herons: plan('CMD: mkdir -p logs; touch logs/heron.txt', 'They are filed.') });

describe('the prompt of the terminal UI', () => {
  let tui: TuiStack;

  beforeAll(async () => {
    tui = await TuiStack.start({ script: talk, size: SIZE });
  }, 120_000);
  afterEach(() => tui?.close());
  afterAll(() => tui?.stop(), 60_000);

  /** An editor that shows a screen of its own, waits for a key, and runs this script. */
  async function editor(name: string, script: string): Promise<string> {
    const path = join(tui.stack.dir, name);
    await writeFile(path, `#!/bin/sh\nprintf 'my own editor\\n'; read -r line; ${script}\n`);
    await chmod(path, 0o755);
    return path;
  }

  it('the prompt can be written in an external editor, and the screen is restored afterwards', async () => {
    const ui = await tui.open({ EDITOR: await editor('good', 'printf "%s\\nand cranes\\n" "$line" >> "$1"') });
    await ui.type('of ');
    await ui.press('C-x', 'C-e');
    expect(await ui.shows('my own editor')).not.toContain('[aish:');
    await ui.resize(90, 30);
    await ui.submit('herons');
    const screen = await ui.shows('and cranes');
    expect(screen).toMatch(/> of herons\n +and cranes\n/);
    expect(screen).toContain('1 Chat');
    expect(screen).not.toContain('my own editor');
    expect([await ui.fact('alternate_on'), await ui.fact('mouse_any_flag')]).toEqual(['1', '1']);
    await ui.paste('\npasted');
    await ui.shows('pasted');
    await ui.press('C-c');
    await ui.shows('cleared; ↑ brings it back');
    await ui.press('C-c');
    await ui.shows('press Ctrl-C again to quit');
    await ui.press('C-c');
    await ui.shows('ended with 0');
  }, 60_000);

  it('a failed editor leaves the text untouched', async () => {
    const ui = await tui.open({ VISUAL: await editor('bad', 'echo lost > "$1"; exit 3'), EDITOR: 'true' });
    await ui.type('herons');
    await ui.press('C-x', 'C-e');
    await ui.shows('my own editor');
    await ui.press('C-c');
    expect(await ui.shows('the editor failed')).toContain('> herons');
  }, 60_000);

  it('a ! command runs in the workspace and stops on Ctrl-C, and @ completes files of the workspace', async () => {
    const ui = await tui.open();
    await ui.submit('!mkdir logs; touch logs/heron.txt; echo 4$((2))');
    expect(await ui.shows(/^ +42$/m)).toContain('! mkdir logs; touch logs/heron.txt; echo 4$((2))');
    await ui.shows(/exit 0 · .* \+/);
    await ui.submit('!echo wait""ing; sleep 300');
    await ui.shows(/^ +waiting$/m);
    await ui.press('C-c');
    await ui.shows('cancelled');
    await ui.type('look at @lo');
    await ui.press('Tab');
    await ui.shows('> look at @logs/');
    await ui.press('Tab');
    await ui.shows('> look at @logs/heron.txt');
  }, 90_000);
});
