/// <reference lib="dom" />
import type { EventBody } from '@aish/contracts/events';
import { actionText, type ActionKind, type ActionRequest } from '@aish/contracts/actions';
import { readRecordings, type Recording } from '@aish/sessions/testing';
import { emptyTimeline } from '@aish/views/entries';
import { entryPieces, type Piece } from '@aish/views/entry.pieces';
import { showExact } from '@aish/views/sanitise';
import { addEvent } from '@aish/views/timeline';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifies } from '../../requirements.js';
import type { Visitor } from '../../support/browser.js';
import { WebStack, type SeededGoal } from '../../web/web.stack.js';

const GOALS = 30;

describe('the page and the terminal', () => {
  let web: WebStack;
  let visitor: Visitor;
  beforeAll(async () => {
    web = await WebStack.start();
    visitor = await web.visit();
    // The window is so high that every entry is drawn.
    await visitor.page.setViewportSize({ width: 1440, height: 12_000 });
  }, 120_000);
  afterAll(async () => {
    await visitor?.close();
    await web?.stop();
  });

  it(
    verifies('web.same-words', "the page shows every piece of the terminal's layout, in the same order"),
    async () => {
      const recordings = readRecordings().slice(0, GOALS);
      expect(recordings.length).toBe(GOALS);
      for (const recording of recordings) {
        const goal = await web.goal(recording.name);
        const bodies = eventsOf(recording, goal);
        await web.tell(goal, bodies);
        const { entries } = bodies.reduce(
          (timeline, body, n) =>
            addEvent(timeline, { sessionId: goal.sessionId, seq: n + 1, at: new Date(0).toISOString(), body }),
          emptyTimeline,
        );
        // The goal itself is the heading of its page.
        const entriesShown = entries.filter(({ type }) => type !== 'goal');
        const { page } = visitor;
        const drawn = page.locator('.entry:not(.e-goal)');
        await page.goto(`${web.client.url}/app/#/goals/${goal.number}`);
        await drawn.nth(entriesShown.length - 1).waitFor();
        await page.evaluate(() => {
          for (const fold of Array.from(document.querySelectorAll<HTMLElement>('.fold'))) fold.click();
        });
        await page.waitForTimeout(100);
        const shown = await drawn.evaluateAll((all) => all.map((each) => each.textContent ?? ''));
        const wanted = entriesShown.map((entry) => entryPieces(entry).flatMap(wordsOf));
        const missing = wanted.flatMap((words, n) => missingOf(words, bare(shown[n] ?? '')));
        expect([recording.name, shown.length, missing]).toEqual([recording.name, entriesShown.length, []]);
      }
    },
    180_000,
  );
});

/** Returns the words that are missing or out of order. */
function missingOf(words: readonly string[], shown: string): readonly string[] {
  let at = 0;
  return words.filter((word) => {
    const found = shown.indexOf(word, at);
    if (found >= 0) at = found + word.length;
    return found < 0;
  });
}

/** Returns only the words of prose, because the page renders its Markdown. */
function wordsOf(piece: Piece): readonly string[] {
  switch (piece.as) {
    case 'gap':
      return [];
    case 'text':
      return [bare(piece.spans.map(({ text }) => text).join(''))];
    case 'output':
    case 'thought':
      return [bare(piece.text)];
    case 'body':
      return piece.parts.flatMap(({ kind, text }) =>
        kind === 'exact' ? [bare(showExact(text))] : (text.match(/[\p{L}\p{N}]+/gu) ?? []),
      );
  }
}

function bare(text: string): string {
  return text.replaceAll(/\s/g, '');
}

/** Returns the events that a runner would have sent for a recorded goal. */
function eventsOf({ name, events }: Recording, { id: goalId, number }: SeededGoal): readonly EventBody[] {
  const bodies: EventBody[] = [{ type: 'goal.created', goalId, number, text: name, preset: 'fast', stepBudget: 16 }];
  const uuid = (id: string): string => `00000000-0000-4000-8000-${id.replaceAll(/\D/g, '').padStart(12, '0')}`;
  const actions = new Map<string, { readonly kind: ActionKind; readonly command: string }>();
  let step = 0;
  let asked = 0;
  const its = (id: string) => ({
    goalId,
    actionId: uuid(id),
    step,
    ...(actions.get(id) ?? { kind: 'command' as const, command: '' }),
  });
  const keep = (id: string, request: ActionRequest): void => {
    actions.set(id, { kind: request.kind, command: actionText(request) });
  };
  for (const record of events.flatMap(({ decided }) => decided.records)) {
    switch (record.type) {
      case 'startStep':
        step = record.n;
        bodies.push({ type: 'step.started', goalId, step, stepBudget: 16 });
        break;
      case 'answerStep': {
        for (const action of record.actions) keep(action.id, action);
        const { text, model, usage } = record;
        bodies.push({ type: 'step.answered', goalId, step, text, model, usage, notes: [...record.notes] });
        break;
      }
      case 'editAction':
        keep(record.actionId, record.request);
        break;
      case 'classifyAction':
        bodies.push({
          type: 'action.classified',
          ...its(record.actionId),
          n: 1,
          classification: record.classification,
        });
        break;
      case 'requestDecision': {
        asked += 1;
        const { kind, reason, action } = record;
        const actionId = record.actionId === null ? null : uuid(record.actionId);
        const decision = { goalId, decisionId: uuid(String(asked)), number: asked, kind };
        bodies.push({ type: 'decision.requested', ...decision, actionId, step, stepBudget: 16, reason, action });
        break;
      }
      case 'setAction':
        bodies.push(...actionEvent(record, its(record.actionId)));
        break;
      case 'setGoal': {
        const { state, reason, waitingFor, summary } = record;
        bodies.push({ type: 'goal.changed', goalId, state, reason, waitingFor, summary });
        break;
      }
      // The timeline omits these events, or a runner sends them in another way.
      case 'keepTask':
      case 'appendTurn':
      case 'recordConnections':
      case 'refuse':
      case 'liftRefusals':
      case 'hear':
      case 'acceptPlan':
      case 'setCheck':
      case 'useGrant':
      case 'withdrawDecisions':
    }
  }
  return bodies;
}

type Of = Pick<Extract<EventBody, { type: 'action.started' }>, 'goalId' | 'actionId' | 'step' | 'kind' | 'command'>;

function actionEvent(
  record: Extract<Recording['events'][number]['decided']['records'][number], { type: 'setAction' }>,
  of: Of,
): readonly EventBody[] {
  switch (record.state) {
    case 'started':
      return [{ type: 'action.started', ...of }];
    case 'finished':
      return [{ type: 'action.finished', ...of, outcome: record.outcome ?? null, result: record.result ?? null }];
    case 'skipped':
      return [{ type: 'action.skipped', ...of, reason: record.reason ?? 'skipped' }];
    case 'lost':
      return [{ type: 'action.lost', ...of }];
    case 'approved':
    case 'halted':
    case 'pending':
      return [];
  }
}
