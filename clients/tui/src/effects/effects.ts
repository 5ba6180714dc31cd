import type { ApiClient } from '@aish/client/api.client';
import type { Effect, Msg } from '../messages.js';
import { AREA_EFFECTS } from './area.effects.js';
import { CHAT_EFFECTS } from './chat.effects.js';
import { FollowedSessions } from './followed-sessions.js';
import { GOAL_EFFECTS } from './goal.effects.js';
import { Lists } from './lists.js';
import { PaneLoader } from './pane-loader.js';
import { SPACE_EFFECTS } from './space.effects.js';
import { TERMINAL_EFFECTS } from './terminal.effects.js';
import { OUTPUT_EFFECTS } from './output.effects.js';
import { UNDO_EFFECTS } from './undo.effects.js';
import type { EffectOf, EffectTable, Surroundings, World } from './world.js';

/** What each effect does. */
const EFFECTS: EffectTable<Effect['type']> = {
  ...GOAL_EFFECTS,
  ...CHAT_EFFECTS,
  ...AREA_EFFECTS,
  ...SPACE_EFFECTS,
  ...TERMINAL_EFFECTS,
  ...UNDO_EFFECTS,
  ...OUTPUT_EFFECTS,
};

/** Does what update() asks for. `dispatch` gets the answers; `fail` what is a fault of this program. */
export class Effects {
  private readonly stop = new AbortController();
  private readonly world: World;

  constructor(
    client: ApiClient,
    surroundings: Surroundings,
    dispatch: (msg: Msg) => void,
    private readonly fail: (error: unknown) => void,
  ) {
    const { signal } = this.stop;
    this.world = {
      client,
      surroundings,
      dispatch,
      signal,
      lists: new Lists(client, dispatch, signal),
      panes: new PaneLoader(client, dispatch, signal),
      followed: new FollowedSessions(client, dispatch, signal),
    };
  }

  /** Keeps a connection that says when anything changes. */
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
    const entries = await this.world.surroundings.history.read();
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
