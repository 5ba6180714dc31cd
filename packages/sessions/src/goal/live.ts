import type { LiveBody } from '@aish/contracts/events';

type LiveWords = Extract<LiveBody, { text: string }>;

/** People should see text as it arrives, but a message for every token would be too much. */
const GATHER_MS = 40;
const GATHER_MAX_CHARS = 2_000;

/**
 * Collects live text for a moment before it sends it. Text of one stream stays in order. `flush` sends the rest.
 * Sending never delays the work. Lost text does no harm, because the database has the whole text in the end.
 */
export class LiveText {
  private pending: LiveWords | null = null;
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly send: (body: LiveBody) => void) {}

  push(body: LiveBody): void {
    if (!('text' in body)) {
      this.flush();
      this.send(body);
      return;
    }
    if (this.pending !== null && sameStream(this.pending, body)) {
      this.pending = { ...this.pending, text: this.pending.text + body.text };
    } else {
      this.flush();
      this.pending = body;
    }
    if (this.pending.text.length >= GATHER_MAX_CHARS) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), GATHER_MS);
  }

  flush(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    const body = this.pending;
    this.pending = null;
    if (body !== null) this.send(body);
  }
}

/** Whether two parts belong to the same stream, so that only their text differs. */
function sameStream(a: LiveWords, b: LiveWords): boolean {
  return JSON.stringify({ ...a, text: '' }) === JSON.stringify({ ...b, text: '' });
}
