import { setImmediate as pendingInput, setTimeout as sleep } from 'node:timers/promises';
import { QUIET_MS } from '@aish/views/verdict-line';
import type { EffectOf, EffectTable, World } from './world.js';

/** The terminal, and what was typed in it. */
export const TERMINAL_EFFECTS: EffectTable<'remember' | 'awaitQuiet' | 'copy' | 'redraw' | 'setUp' | 'quit'> = {
  remember: ({ surroundings }, { line }) => surroundings.history.add(line),
  awaitQuiet,
  copy: ({ surroundings }, { text }) => surroundings.copy(text),
  redraw: ({ surroundings }) => surroundings.redraw(),
  setUp: ({ surroundings }) => surroundings.setUp(),
  quit: ({ surroundings }) => surroundings.quit(),
};

async function awaitQuiet({ dispatch, signal }: World, { atMs }: EffectOf<'awaitQuiet'>): Promise<void> {
  await sleep(QUIET_MS, undefined, { ref: false });
  // Keys that came while this process was busy are taken first: timers are looked at before input.
  await pendingInput();
  if (!signal.aborted) dispatch({ type: 'quiet', atMs });
}
