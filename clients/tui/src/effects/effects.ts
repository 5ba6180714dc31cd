import { spacesApi } from '@aish/contracts/endpoints/access';
import { setImmediate as pendingInput, setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '@aish/client/api.client';
import { emptySpace } from '@aish/contracts/spaces';
import { QUIET_MS } from '@aish/views/verdict-line';
import type { Effect, Msg } from '../messages.js';
import { AREA_EFFECTS } from './area.effects.js';
import { CHAT_EFFECTS } from './chat.effects.js';
import { FollowedSessions } from './followed-sessions.js';
import { GOAL_EFFECTS } from './goal.effects.js';
import { Lists } from './lists.js';
import { PaneLoader } from './pane-loader.js';
import { OUTPUT_EFFECTS } from './output.effects.js';
import { UNDO_EFFECTS } from './undo.effects.js';
import { asking, type EffectOf, type EffectTable, type Environment, type World } from './world.js';

/** The terminal, and its input history. */
const TERMINAL_EFFECTS: EffectTable<
  'remember' | 'awaitQuiet' | 'copy' | 'writeInEditor' | 'redraw' | 'setUp' | 'quit'
> = {
  remember: ({ environment }, { line }) => environment.history.add(line),
  awaitQuiet,
  copy: ({ environment }, { text }) => environment.copy(text),
  writeInEditor: async ({ environment, dispatch }, { text }) =>
    dispatch({ type: 'edited', before: text, edited: await environment.edit(text) }),
  redraw: ({ environment }) => environment.redraw(),
  setUp: ({ environment }) => environment.setUp(),
  quit: ({ environment }) => environment.quit(),
};

async function awaitQuiet({ dispatch, signal }: World, { atMs }: EffectOf<'awaitQuiet'>): Promise<void> {
  await sleep(QUIET_MS, undefined, { ref: false });
  // Node runs timers before input, so this first handles the keys that arrived while the process was busy.
  await pendingInput();
  if (!signal.aborted) dispatch({ type: 'quiet', atMs });
}

/** Reads the access of a space, for editing. */
const SPACE_EFFECTS: EffectTable<'readSpace'> = {
  readSpace: asking(
    (client, { name }: EffectOf<'readSpace'>, signal) => client.call(spacesApi.show, { params: { name } }, signal),
    (space) => ({ type: 'spaceRead', space }),
    (error, { name }) =>
      // A space that does not exist is created when it is set.
      error.code === 'not_found' ? { type: 'spaceRead', space: emptySpace(name) } : { type: 'refused', error },
  ),
};

/** The implementation of each effect. */
const EFFECTS: EffectTable<Effect['type']> = {
  ...GOAL_EFFECTS,
  ...CHAT_EFFECTS,
  ...AREA_EFFECTS,
  ...SPACE_EFFECTS,
  ...TERMINAL_EFFECTS,
  ...UNDO_EFFECTS,
  ...OUTPUT_EFFECTS,
};

/**
 * Carries out the effects that update() returns. `dispatch` receives the answers, and `fail` receives errors that are
 * bugs in this program.
 */
export class Effects {
  private readonly stop = new AbortController();
  private readonly world: World;

  constructor(
    client: ApiClient,
    environment: Environment,
    dispatch: (msg: Msg) => void,
    private readonly fail: (error: unknown) => void,
  ) {
    const { signal } = this.stop;
    this.world = {
      client,
      environment,
      dispatch,
      signal,
      lists: new Lists(client, dispatch, signal),
      panes: new PaneLoader(client, dispatch, signal),
      followed: new FollowedSessions(client, dispatch, signal),
      own: { stop: null },
    };
  }

  /** Keeps a connection that reports every change. */
  start(): void {
    this.guard(this.followNotices());
    this.guard(this.readHistory());
  }

  close(): void {
    this.stop.abort();
  }

  run<T extends Effect['type']>(effect: EffectOf<T>): void {
    this.guard(EFFECTS[effect.type](this.world, effect));
  }

  private async readHistory(): Promise<void> {
    const entries = await this.world.environment.history.read();
    this.world.dispatch({ type: 'historyRead', entries });
  }

  private async followNotices(): Promise<void> {
    const { client, dispatch, lists, signal } = this.world;
    for await (const item of client.followNotices({ signal, stubborn: true })) {
      if (item.type === 'open') {
        dispatch({ type: 'connected' });
        this.guard(lists.version());
        this.guard(lists.attention());
      }
      if (item.type === 'lost') dispatch({ type: 'disconnected', error: item.error });
      if (item.type === 'item') dispatch({ type: 'noticed', types: item.item.notice.types });
    }
  }

  private guard(work: Promise<void> | void): void {
    work?.catch((error: unknown) => this.fail(error));
  }
}
