import type { ApiClient } from '@aish/client/api.client';
import { Effects } from './effects/effects.js';
import type { Edited } from './external-editor.js';
import type { InputHistory } from './input-history.js';
import type { KeyMap } from '@aish/views/key-actions';
import type { MetaRunner } from './meta/meta-runner.js';
import type { Msg } from './messages.js';
import { initialModel } from './initial-model.js';
import type { KeptTerminal, Whereabouts } from './kept-terminal.js';
import { whereabouts } from './update/restore.update.js';
import { BlessedScreen } from './screen/blessed.screen.js';
import type { TerminalKind } from './screen/terminal.js';
import { update, wantsTick } from './update.js';
import { keysWith } from './update/keys/key-table.js';
import { frameOf } from './views/frame.view.js';

export interface TuiOptions {
  readonly client: ApiClient;
  readonly server: string;
  readonly terminal: TerminalKind;
  readonly hasColour: boolean;
  readonly hasMouse: boolean;
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
/** At most this much of the person's place is lost when this process is killed. */
const KEEP_MS = 500;

/**
 * Shows the terminal UI until the person quits or `signal` aborts. Restores the terminal when it returns or throws, and
 * when the process ends in another way (except SIGKILL). @returns the place of a person who leaves for `aish setup` and
 * returns, or null after quitting
 */
export async function runTui(options: TuiOptions): Promise<Whereabouts | null> {
  const { client, server, terminal, hasColour, hasMouse, keyMap, history, meta, kept, signal } = options;
  let end: () => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  const screen = new BlessedScreen({
    terminal,
    hasColour,
    hasMouse,
    onInput: (input) => dispatch(input, 0),
    onResize: (cols, rows) => {
      dispatch({ type: 'resized', cols, rows });
      draw(); // draws at once, because blessed has just cleared the screen
    },
  });
  let model = initialModel({ server, cols: screen.cols, rows: screen.rows, nowMs: Date.now(), keys: keysWith(keyMap) });
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
    screen.paint(frameOf(model));
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
