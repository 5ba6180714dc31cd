import { sumEffects } from '@aish/contracts/effect-lines';
import type { Effects } from '@aish/contracts/effects';
import type { EventBody } from '@aish/contracts/events';
import { formatDifference, formatExecutionContext } from './decision.format.js';
import { emptyTimeline, type ActionEntry } from './entries.js';
import { answerText, commandPiece, entryPieces, textPiece, type Piece } from './entry.pieces.js';
import { formatEnding, formatUsage } from './goal.format.js';
import { hasEnded } from './goal.state.js';
import { oneLine, showExact } from './sanitise.js';
import { addEvent } from './timeline.js';

type Asked = Extract<EventBody, { readonly type: 'decision.requested' }>;

/** Explains each event of a session. It must receive all events in order, because later ones refer to earlier ones. */
export class EventPrinter {
  private readonly commands = new Map<string, string>();
  /** The numbers of decisions, by action. */
  private readonly decisions = new Map<string, number>();
  private did: Effects | null = null;

  /** Returns the pieces of one event, or none if the event means nothing to a person. */
  print(body: EventBody): readonly Piece[] {
    if (body.type.startsWith('action.')) return this.actionPieces(body);
    if (body.type === 'goal.changed' && hasEnded(body.state)) {
      const { state, summary, reason } = body;
      return entryPieces({ type: 'end', state, text: summary ?? reason ?? '', effects: this.did, at: '' });
    }
    if (body.type === 'step.started') return stepPieces(body.step, body.stepBudget, '');
    if (body.type === 'step.answered') {
      const usage = formatUsage(body.usage);
      return [
        ...stepPieces(body.step, null, body.text).slice(2),
        ...(body.notes ?? []).map((note) => textPiece(oneLine(note), 'dim', 1)),
        ...(usage === '' ? [] : [textPiece(usage, 'dim', 1)]),
      ];
    }
    if (body.type === 'command.ended') {
      const output = body.outcome?.output ?? '';
      return entryPieces({ ...body, type: 'own', command: '', by: '', state: 'ended', output }).slice(2);
    }
    if (body.type === 'answer.started') return [];
    if (body.type === 'decision.requested') return this.asked(body);
    if (body.type === 'decision.given') {
      const { verdict, by, message, edited = null, granted = null, carried = false } = body;
      const answer = answerText({ verdict, by, message, edited, granted, carried });
      return [textPiece(`d${body.number}: ${answer}`, 'warn', 2)];
    }
    if (body.type === 'decision.withdrawn')
      return [textPiece(`d${body.number}: ${answerText('withdrawn')}`, 'warn', 2)];
    if (body.type === 'network.connection') {
      const { host, port, count, allowed, reason } = body;
      const place = oneLine(`${host}:${port}${count === 1 ? '' : ` ${count} times`}`);
      const what = allowed ? `reached ${place}` : `refused ${place}: ${oneLine(reason)}`;
      return [textPiece(`network: ${what}`, allowed ? 'dim' : 'warn', 2)];
    }
    if (body.type === 'network.changed') {
      const rules = body.policy.mode === 'none' ? [] : body.policy.rules;
      const allowed = rules.map(({ host, ports }) => `${host}:${ports.join('/')}`).join(', ') || 'nothing';
      return [textPiece(oneLine(`network: commands may reach ${allowed} (set by ${body.by})`), 'warn', 1)];
    }
    if (body.type !== 'secrets.changed') return otherPieces(body);
    const line = `secrets: commands may use ${body.names.join(', ') || 'none'} (set by ${body.by})`;
    return [textPiece(oneLine(line), 'warn', 1)];
  }

  private actionPieces(body: EventBody): readonly Piece[] {
    if (body.type === 'action.classified') {
      this.commands.set(body.actionId, body.command);
      return [commandPiece(body)];
    }
    if (body.type === 'action.finished') {
      const { actionId, kind, outcome, result } = body;
      this.did = sumEffects([{ effects: this.did ?? undefined }, outcome ?? {}]);
      return belowCommand({ actionId, kind, state: 'finished', outcome, result, output: formatEnding(body).output });
    }
    if (body.type === 'action.skipped') return belowCommand({ state: 'skipped', reason: body.reason });
    if (body.type === 'action.lost') return belowCommand({ state: 'lost' });
    if (body.type === 'action.snapshot') {
      if (body.sizeBytes === null) return [textPiece(`no snapshot: ${oneLine(body.reason ?? '')}`, 'warn', 2)];
      const number = this.decisions.get(body.actionId);
      const name = number === undefined ? body.actionId : `d${number}`;
      return [textPiece(`snapshot taken; to restore it: aish undo ${name}`, 'dim', 2)];
    }
    if (body.type !== 'action.undone') return [];
    return [textPiece(`undone by ${oneLine(body.by)}: ${oneLine(body.command)}`, 'warn', 2)];
  }

  private asked({ decisionId, actionId, number, kind, reason, action, ...more }: Asked): readonly Piece[] {
    if (actionId !== null) this.decisions.set(actionId, number);
    const isShown = actionId !== null && this.commands.get(actionId) === action;
    return [
      ...belowCommand({ halt: { decisionId, number, kind, reason, answer: null } }),
      ...(isShown ? [] : [textPiece(showExact(action), 'bold', 2, { by: 'model' })]),
      ...formatExecutionContext(more.executionContext ?? null).map((each) => textPiece(each, 'warn', 2)),
      ...formatDifference({ difference: more.difference ?? null, number }).map((each) => textPiece(each, 'bad', 2)),
    ];
  }
}

/** Returns the pieces of an event that does not refer to another one. */
function otherPieces(body: EventBody): readonly Piece[] {
  return addEvent(emptyTimeline, { sessionId: '', seq: 0, at: '', body }).entries.flatMap(entryPieces);
}

function stepPieces(n: number, stepBudget: number | null, text: string): readonly Piece[] {
  return entryPieces({ type: 'step', n, stepBudget, text, isStreaming: false, usage: null });
}

const NOTHING = {
  command: '',
  classification: null,
  halt: null,
  output: '',
  outcome: null,
  result: null,
  reason: null,
};

/** Returns the pieces of an action below its command. */
function belowCommand(action: Partial<ActionEntry>): readonly Piece[] {
  return entryPieces({ type: 'action', actionId: '', kind: 'command', state: 'pending', ...NOTHING, ...action }).slice(
    1,
  );
}
