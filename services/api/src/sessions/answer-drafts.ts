import type { LiveBody } from '@aish/contracts/events';

const SESSIONS_MAX = 200;
/** Longer drafts are dropped. A listener that joins late then sees only the text from that moment on. */
const DRAFT_MAX_CHARS = 500_000;
/** A notice on the bus must fit into 8,000 bytes. */
const PIECE_CHARS = 1_500;

type Place =
  | { readonly exchange: number; readonly step: number }
  | { readonly goalId: string | null; readonly step: number };

interface Draft {
  readonly place: Place;
  text: string;
  reasoning: string;
}

/** Keeps the answers that models are writing, so that a listener that joins late gets the beginning. */
export class AnswerDrafts {
  private readonly drafts = new Map<string, Draft>();

  add(sessionId: string, body: LiveBody): void {
    // The model starts this answer again.
    if (body.type === 'answer.retry') return this.drop(sessionId);
    const place = placeOf(body);
    if (place === null) return;
    const draft = this.at(sessionId, place);
    if (body.type === 'answer.draft' || body.type === 'model.draft') {
      draft.text = body.text;
      draft.reasoning = body.reasoning;
    } else if (body.type === 'answer.delta' || body.type === 'model.delta') draft.text += body.text;
    else if (body.type === 'answer.reasoning' || body.type === 'model.reasoning') draft.reasoning += body.text;
    if (draft.text.length + draft.reasoning.length > DRAFT_MAX_CHARS) this.drop(sessionId);
  }

  /** Drops a draft, because the answer is stored, or because its model has stopped. */
  drop(sessionId: string): void {
    this.drafts.delete(sessionId);
  }

  /** Returns the answer so far as one body, or null if there is none. */
  whole(sessionId: string): LiveBody | null {
    const known = this.drafts.get(sessionId);
    if (known === undefined) return null;
    const { place, text, reasoning } = known;
    return 'goalId' in place
      ? { type: 'model.draft', ...place, text, reasoning }
      : { type: 'answer.draft', ...place, text, reasoning };
  }

  /** Returns the answer in pieces that fit on the bus: a draft that replaces the text, followed by additions. */
  pieces(sessionId: string): readonly LiveBody[] {
    const draft = this.whole(sessionId);
    if (draft?.type !== 'answer.draft' && draft?.type !== 'model.draft') return [];
    const [text = '', ...texts] = piecesOf(draft.text);
    const [reasoning = '', ...thoughts] = piecesOf(draft.reasoning);
    if (draft.type === 'answer.draft') {
      const { exchange, step } = draft;
      return [
        { ...draft, text, reasoning },
        ...thoughts.map((each): LiveBody => ({ type: 'answer.reasoning', exchange, step, text: each })),
        ...texts.map((each): LiveBody => ({ type: 'answer.delta', exchange, step, text: each })),
      ];
    }
    const { goalId, step } = draft;
    return [
      { ...draft, text, reasoning },
      ...thoughts.map((each): LiveBody => ({ type: 'model.reasoning', goalId, step, text: each })),
      ...texts.map((each): LiveBody => ({ type: 'model.delta', goalId, step, text: each })),
    ];
  }

  private at(sessionId: string, place: Place): Draft {
    const known = this.drafts.get(sessionId);
    if (known !== undefined && isSame(known.place, place)) return known;
    const draft = { place, text: '', reasoning: '' };
    // A map keeps its insertion order, so the oldest draft comes first.
    this.drafts.delete(sessionId);
    this.drafts.set(sessionId, draft);
    const [oldest] = this.drafts.keys();
    if (this.drafts.size > SESSIONS_MAX && oldest !== undefined) this.drafts.delete(oldest);
    return draft;
  }
}

function isSame(a: Place, b: Place): boolean {
  if (a.step !== b.step) return false;
  return 'goalId' in a ? 'goalId' in b && a.goalId === b.goalId : 'exchange' in b && a.exchange === b.exchange;
}

function placeOf(body: LiveBody): Place | null {
  if (body.type === 'answer.delta' || body.type === 'answer.reasoning' || body.type === 'answer.draft') {
    return { exchange: body.exchange, step: body.step };
  }
  if (body.type === 'model.delta' || body.type === 'model.reasoning' || body.type === 'model.draft') {
    return { goalId: body.goalId, step: body.step };
  }
  return null;
}

function piecesOf(text: string): readonly string[] {
  const pieces = [];
  for (let at = 0; at < text.length; at += PIECE_CHARS) pieces.push(text.slice(at, at + PIECE_CHARS));
  return pieces;
}
