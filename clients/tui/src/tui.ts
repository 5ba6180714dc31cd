import type { ApiClient } from '@aish/client/api.client';
import { Effects } from './effects/effects.js';
import type { Edited } from './external-editor.js';
import type { InputHistory } from './input-history.js';
import type { KeyMap } from '@aish/views/key-actions';
import type { MetaRunner } from './meta/meta-runner.js';
import type { Msg } from './messages.js';
import type { Model } from './model.js';
import type { Input } from './screen/keypress.js';
import { initialModel } from './initial-model.js';
import type { KeptTerminal, Whereabouts } from './kept-terminal.js';
import { whereabouts } from './update/restore.update.js';
import { BlessedScreen } from './screen/blessed.screen.js';
import { InlineScreen } from './screen/inline.screen.js';
import type { TerminalKind } from './screen/terminal.js';
import type { Story } from './timeline/story.js';
import { update, wantsTick } from './update.js';
import { keysWith } from './update/keys/key-table.js';

export interface TuiOptions {
  readonly client: ApiClient;
  readonly server: string;
  readonly terminal: TerminalKind;
  readonly hasColour: boolean;
  readonly hasMouse: boolean;
  /** Prints the story below the text that is on the terminal. Null means that the terminal UI covers the screen. */
  readonly story: Story | null;
  readonly keyMap: KeyMap;
  readonly history: InputHistory;
  readonly meta: MetaRunner;
  readonly kept: KeptTerminal;
  /** Opens a text in the person's editor while this program draws nothing. */
  readonly edit: (text: string) => Promise<Edited>;
  /** The place to restore; null: the place of a crashed terminal UI. */
  readonly from: Whereabouts | null;
  /** Ends the terminal UI from outside when it aborts. */
  readonly signal: AbortSignal;
}

/** A tick updates ages, fades messages, and retries a model that is unavailable. */
const TICK_MS = 10_000;
/** The minimum time between frames of streaming text. Keys are drawn immediately. */
const FRAME_MS = 33;
/** The person's place is saved this often. A kill loses at most the changes since the last save. */
const KEEP_MS = 500;

/**
 * Shows the terminal UI until the person quits or `signal` aborts. Restores the terminal when it returns or throws, and
 * when the process ends in another way (except SIGKILL). @returns the place of a person who leaves for `aish setup` and
 * returns, or null after quitting
 */
export async function runTui(options: TuiOptions): Promise<Whereabouts | null> {
  const { client, server, terminal, hasColour, hasMouse, story, keyMap, history, meta, kept, signal } = options;
  let end: () => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  const screenOptions = {
    terminal,
    hasColour,
    hasMouse,
    onInput: (input: Input): void => dispatch(input, 0),
    onResize: (cols: number, rows: number): void => {
      dispatch({ type: 'resized', cols, rows });
      draw(); // draws at once, because blessed has just cleared the screen
    },
  };
  const screen = story === null ? new BlessedScreen(screenOptions) : new InlineScreen(screenOptions, story);
  let model: Model = {
    ...initialModel({ server, cols: screen.cols, rows: screen.rows, nowMs: Date.now(), keys: keysWith(keyMap) }),
    isInline: story !== null,
  };
  let frame: NodeJS.Timeout | null = null;
  let keeping: NodeJS.Timeout | null = null;
  let isSoon = false;
  let isOver = false;
  let hasLeft = false;
  let isComingBack = false;

  const draw = (): void => {
    if (frame !== null) clearTimeout(frame);
    frame = null;
    isSoon = false;
    screen.paint(model);
  };
  const drawWithin = (ms: number): void => {
    if (frame !== null && (isSoon || ms > 0)) return;
    if (frame !== null) clearTimeout(frame);
    isSoon = ms === 0;
    frame = setTimeout(guarded(draw), ms);
  };
  const dispatch = (msg: Msg, drawMs = FRAME_MS): void => {
    // The terminal no longer belongs to this program, so late messages of effects are dropped.
    if (isOver) return;
    guarded(() => {
      const result = update(model, msg, Date.now());
      const hasChanged = result.model !== model;
      model = result.model;
      for (const effect of result.effects) effects.run(effect);
      if (!hasChanged) return;
      drawWithin(drawMs);
      keeping ??= setTimeout(guarded(keep), KEEP_MS);
    })();
  };
  const keep = (): void => {
    keeping = null;
    kept.keep(whereabouts(model));
  };
  const guarded = (work: () => void) => (): void => {
    try {
      work();
    } catch (error) {
      fail(error);
    }
  };
  const redraw = (): void => {
    screen.forget();
    drawWithin(0);
  };
  const quit = (): void => {
    hasLeft = true;
    end();
  };
  const setUp = (): void => {
    isComingBack = true;
    end();
  };
  const edit = async (text: string): Promise<Edited> => {
    const back = screen.leave();
    try {
      return await options.edit(text);
    } finally {
      back();
      if (!isOver) redraw();
    }
  };
  const environment = { setUp, edit, history, meta, redraw, quit, copy: (text: string) => screen.copy(text) };
  const effects = new Effects(client, environment, dispatch, fail);
  const tick = setInterval(() => {
    if (wantsTick(model)) dispatch({ type: 'tick' });
  }, TICK_MS);
  const onCrash = (error: unknown): void => fail(error);
  process.on('uncaughtException', onCrash);
  signal.addEventListener('abort', end, { once: true });
  try {
    draw();
    const where = options.from ?? kept.take(server, Date.now());
    if (where !== null) dispatch({ type: 'restored', where }, 0);
    effects.start();
    if (signal.aborted) end();
    await ended;
    return isComingBack ? whereabouts(model) : null;
  } finally {
    isOver = true;
    clearInterval(tick);
    if (keeping !== null) clearTimeout(keeping);
    if (hasLeft) kept.forget();
    else keep();
    if (frame !== null) clearTimeout(frame);
    signal.removeEventListener('abort', end);
    process.removeListener('uncaughtException', onCrash);
    effects.close();
    screen.close();
  }
}
