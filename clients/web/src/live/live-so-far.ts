import type { LiveBody, SessionEvent } from '@aish/contracts/events';

/** A longer answer is cut to its end for a tab that opens late. */
const MAX_CHARS = 500_000;
/** After these events the live text is stored, or starts over. */
const ENDS = /^(answer|step|exchange|action)\.|^goal\.changed$/;

/** Collects live text that is not stored yet, for a tab that opens in the middle of an answer. */
export class LiveSoFar {
  bodies: readonly LiveBody[] = [];
  private chars = 0;

  add(body: LiveBody): void {
    if (body.type === 'answer.draft' || body.type === 'model.draft') this.clear();
    const last = this.bodies.at(-1);
    const joined = last === undefined ? null : joinTexts(last, body);
    this.bodies = joined === null ? [...this.bodies, body] : [...this.bodies.slice(0, -1), joined];
    this.chars += JSON.stringify(body).length;
    if (this.chars > MAX_CHARS) this.clear();
  }

  stored({ body }: SessionEvent): void {
    if (ENDS.test(body.type)) this.clear();
  }

  private clear(): void {
    this.bodies = [];
    this.chars = 0;
  }
}

/** Joins two pieces of the same text. Returns null for anything else. */
function joinTexts(before: LiveBody, after: LiveBody): LiveBody | null {
  if (before.type !== after.type || !('text' in before) || !('text' in after)) return null;
  if (before.type === 'answer.draft' || before.type === 'model.draft') return null;
  const isSame = JSON.stringify({ ...before, text: '' }) === JSON.stringify({ ...after, text: '' });
  return isSame ? { ...after, text: before.text + after.text } : null;
}
