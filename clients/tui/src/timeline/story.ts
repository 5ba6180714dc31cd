import type { Entry } from '@aish/views/entries';
import { entryPieces } from '@aish/views/entry.pieces';
import { hasEnded } from '@aish/views/goal.state';
import { line, textOf, type Line } from '@aish/views/line';
import { cleanText } from '@aish/views/sanitise';
import { settledText } from '../markdown/growing.markdown.js';
import { chosenGoal, type Feed, type Model } from '../model.js';
import { entryLines, type LayoutOptions } from './timeline.lines.js';

/** The part of the story that is new, and the part that may still change. */
export interface Printable {
  /** Lines to print now. They never change. */
  readonly done: readonly Line[];
  /** The lines that follow them, which are drawn again with each frame. */
  readonly live: readonly Line[];
}

interface Place {
  /** The number of finished entries. */
  count: number;
  /** The lines of the next entry that were printed while it grew. */
  begun: readonly Line[];
  /** The text of that entry up to there. */
  settled: string;
}

/**
 * Decides what an inline screen prints of the chat and the selected goal. Each entry is printed once, in order, when it
 * can no longer change. The finished paragraphs of a growing answer are printed immediately.
 */
export class Story {
  private readonly places = new Map<string, Place>();
  /** The goals that worked while this terminal was open. Goals that had ended before are not printed. */
  private readonly working = new Set<string>();
  private lastPrinted: string | null = null;
  private printoutCount = 0;

  /** Returns what is new since the last call. @param isOver whether this is the last call, which leaves nothing live */
  next(model: Model, isOver = false): Printable {
    const { chat, goalFeed, size } = model;
    const goal = chosenGoal(model);
    if (goal !== undefined && !hasEnded(goal.state)) this.working.add(goal.sessionId);
    const hasGoal = goalFeed.sessionId !== null && goalFeed.sessionId !== chat.feed.sessionId;
    const sources: readonly Source[] = [
      ...(hasGoal ? [{ feed: goalFeed, title: `goal ${goal?.number ?? ''}`, isGoal: true, isBusy: true }] : []),
      { feed: chat.feed, title: `c${chat.session?.number ?? ''}`, isGoal: false, isBusy: chat.isBusy },
    ];
    const parts = sources.map((source) => this.nextOf(source, { width: size.cols - 1, isUnfolded: false }, isOver));
    const done = [...parts.flatMap((part) => part.done), ...this.printoutsOf(model)];
    const isAlone = parts.filter(({ live }) => live.length > 0).length < 2;
    const live = parts.flatMap((part, at) => {
      const { feed, title } = sources[at] as Source;
      const isPlain = part.live.length === 0 || (isAlone && !this.isOther(feed.sessionId));
      return isPlain ? part.live : [headingOf(title), ...part.live];
    });
    return { done, live };
  }

  /** Returns the answers of commands since the last call. */
  private printoutsOf({ printouts }: Model): readonly Line[] {
    const fresh = printouts.slice(this.printoutCount);
    this.printoutCount = printouts.length;
    // The entries after them get their heading again.
    if (fresh.length > 0) this.lastPrinted = '';
    return fresh.flatMap(({ title, lines }) => [line(''), headingOf(title), ...lines]);
  }

  private nextOf({ feed, title, isGoal, isBusy }: Source, options: LayoutOptions, isOver: boolean): Printable {
    const { sessionId, timeline } = feed;
    if (sessionId === null) return { done: [], live: [] };
    const { entries, dropped } = timeline;
    const place = this.places.get(sessionId) ?? { count: 0, begun: [], settled: '' };
    this.places.set(sessionId, place);
    if (isGoal && !this.working.has(sessionId)) {
      place.count = Math.max(place.count, dropped + entries.length);
      return { done: [], live: [] };
    }
    const done: Line[] = [];
    // A stream that begins again repeats its events.
    for (let at = Math.max(0, place.count - dropped); at < entries.length; at += 1) {
      const entry = entries[at];
      if (entry === undefined || !(isOver || isFinal(entry, entries.slice(at + 1), isBusy))) break;
      done.push(...after(place.begun, entryLines(entry, options)));
      Object.assign(place, { count: dropped + at + 1, begun: [], settled: '' });
    }
    const open = entries.slice(Math.max(0, place.count - dropped));
    const live = open.flatMap((entry) => entryLines(entry, options));
    done.push(...growth(place, open[0], options));
    return { done: this.withTitle(done, sessionId, title), live: live.slice(place.begun.length) };
  }

  private isOther(sessionId: string | null): boolean {
    return this.lastPrinted !== null && this.lastPrinted !== sessionId;
  }

  /** Names the session when the story changes to another one. */
  private withTitle(done: readonly Line[], sessionId: string, title: string): readonly Line[] {
    if (done.length === 0) return done;
    const isOther = this.isOther(sessionId);
    this.lastPrinted = sessionId;
    return isOther ? [line(''), headingOf(title), ...done] : done;
  }
}

const headingOf = (title: string): Line => line(`── ${title}`, 'dim');

interface Source {
  readonly feed: Feed;
  readonly title: string;
  readonly isGoal: boolean;
  readonly isBusy: boolean;
}

/** Returns whether an entry can no longer change. @param later the entries after it */
function isFinal(entry: Entry, later: readonly Entry[], isBusy: boolean): boolean {
  switch (entry.type) {
    case 'step': // Its commands are not repeated in its text, and they are still unknown.
      return !entry.isStreaming && later.length > 0;
    case 'answer':
      return !entry.isStreaming && entry.doing === null && (later.length > 0 || !isBusy);
    case 'action': {
      const isAsked = entry.halt !== null && entry.halt.answer === null;
      const hasEnd = entry.state === 'finished' || entry.state === 'skipped' || entry.state === 'lost';
      return (hasEnd && !isAsked) || later.some(({ type }) => FOLLOWS.has(type));
    }
    case 'own':
      return entry.state !== 'running';
    case 'end':
    case 'goal':
    case 'message':
    case 'note':
    case 'trouble':
    case 'wait':
      return true;
  }
}

/** An action has ended, one way or another, before one of these begins. */
const FOLLOWS: ReadonlySet<Entry['type']> = new Set(['step', 'answer', 'message', 'trouble', 'end']);

/** Returns the lines after the printed ones. If one of those has changed, returns everything from there on. */
function after(printed: readonly Line[], lines: readonly Line[]): readonly Line[] {
  const changed = printed.findIndex((each, at) => textOf(each) !== textOf(lines[at] ?? []));
  return lines.slice(changed < 0 ? printed.length : changed);
}

/** Returns the lines of a growing answer that have just become final. */
function growth(place: Place, entry: Entry | undefined, options: LayoutOptions): readonly Line[] {
  if ((entry?.type !== 'answer' && entry?.type !== 'step') || !entry.isStreaming) return [];
  const body = entryPieces(entry).find((piece) => piece.as === 'body');
  const [part, ...others] = body?.parts ?? [];
  if (body === undefined || part?.kind !== 'markdown' || others.length > 0) return [];
  const settled = settledText(`${body.key} 0`);
  if (settled.length <= place.settled.length || !cleanText(part.text).startsWith(settled)) return [];
  const ended = { ...entry, text: settled, isStreaming: false, progress: null };
  const lines = entryLines(ended.type === 'answer' ? { ...ended, doing: null } : ended, options);
  const begun = entry.type === 'answer' ? lines.slice(0, -1) : lines; // the end of an answer is a line of its own
  const fresh = after(place.begun, begun);
  Object.assign(place, { begun, settled });
  return fresh;
}
