import { emptyTimeline } from '@aish/views/entries';
import type { Binding, Chat, Feed, Model } from './model.js';
import type { Pane } from './view-state.js';

export const emptyFeed: Feed = { sessionId: null, timeline: emptyTimeline, trouble: null, top: null };
const emptyPane: Pane = {
  rows: null,
  chosen: null,
  filter: '',
  detail: null,
  detailTop: 0,
  trail: [],
  linkAt: 0,
  trouble: null,
};
export const emptyChat: Chat = { session: null, feed: emptyFeed, outbox: [], isBusy: false, preset: 'fast' };

export function initialModel(options: {
  readonly server: string;
  readonly cols: number;
  readonly rows: number;
  readonly nowMs: number;
  readonly keys: readonly Binding[];
}): Model {
  return {
    size: { cols: options.cols, rows: options.rows },
    nowMs: options.nowMs,
    server: options.server,
    connection: { state: 'connecting', detail: null },
    mismatch: null,
    attention: null,
    isInline: false,
    view: 'chat',
    goals: null,
    chosen: null,
    wanted: null,
    unlisted: null,
    goalFeed: emptyFeed,
    chat: emptyChat,
    isCommandRunning: false,
    panes: { memory: emptyPane, knowledge: emptyPane, sessions: emptyPane },
    decisions: [],
    decisionAt: 0,
    models: [],
    helpTop: 0,
    helpFrom: 'chat',
    isStale: false,
    isUnfolded: false,
    prompt: { text: '', cursor: 0 },
    isPromptOpen: false,
    history: { entries: [], at: null, draft: '' },
    completion: null,
    search: null,
    held: null,
    sessions: {},
    strayed: null,
    typedAtMs: null,
    isUnasked: false,
    hasPrefix: false,
    interruptedAtMs: null,
    keys: options.keys,
    overlay: null,
    answers: [],
    printouts: [],
    closedDecisions: [],
    notes: {},
    flash: null,
  };
}
