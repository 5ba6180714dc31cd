import type { LiveBody } from '@aish/contracts/events';

/** A person sees text as it arrives, but other processes do not need every token at once. */
const GATHER_MS = 50;
/** With many active chats the interval grows, so that the bus carries at most this many notices per second. */
const NOTICES_PER_SECOND = 200;
const GATHER_MAX_MS = 2_000;
const TEXT_MAX_CHARS = 4_000;

/** Gathers the live bodies of many sessions before they go over the bus, and merges neighbours of one kind. */
export class LiveGather {
  private pending = new Map<string, LiveBody[]>();
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly send: (sessionId: string, body: LiveBody) => void) {}

  add(sessionId: string, body: LiveBody): void {
    const bodies = this.pending.get(sessionId);
    if (bodies === undefined) this.pending.set(sessionId, [body]);
    else mergeInto(bodies, body);
    this.timer ??= setTimeout(() => this.flush(), this.pauseMs());
  }

  /** Sends the gathered text of one session or of all sessions. */
  flush(sessionId?: string): void {
    if (sessionId !== undefined) {
      const bodies = this.pending.get(sessionId) ?? [];
      this.pending.delete(sessionId);
      for (const body of bodies) this.send(sessionId, body);
      return;
    }
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    const all = this.pending;
    this.pending = new Map();
    for (const [each, bodies] of all) for (const body of bodies) this.send(each, body);
    this.lastCount = all.size;
  }

  private lastCount = 0;

  private pauseMs(): number {
    return Math.min(GATHER_MAX_MS, Math.max(GATHER_MS, (this.lastCount * 1_000) / NOTICES_PER_SECOND));
  }
}

/**
 * Adds a body to a list. Text of the same kind is appended to the last body, and newer progress replaces older
 * progress.
 */
export function mergeInto(bodies: LiveBody[], body: LiveBody): void {
  const last = bodies.at(-1);
  const isDraft = body.type === 'answer.draft' || body.type === 'model.draft';
  if (
    !isDraft &&
    last !== undefined &&
    'text' in last &&
    'text' in body &&
    isSame(last, body) &&
    last.text.length < TEXT_MAX_CHARS
  ) {
    bodies[bodies.length - 1] = { ...last, text: last.text + body.text };
  } else if (last?.type === body.type && (body.type === 'answer.progress' || body.type === 'answer.call')) {
    bodies[bodies.length - 1] = body;
  } else bodies.push(body);
}

function isSame(a: LiveBody, b: LiveBody): boolean {
  if (a.type !== b.type) return false;
  if (a.type === 'action.output')
    return b.type === 'action.output' && a.actionId === b.actionId && a.stream === b.stream;
  return 'step' in a && 'step' in b && a.step === b.step;
}
