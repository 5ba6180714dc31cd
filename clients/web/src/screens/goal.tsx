import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import { goalsApi } from '@aish/contracts/endpoints/goals';
import { undoApi } from '@aish/contracts/endpoints/files';
import { takesAnswer } from '@aish/contracts/decision-rules';
import { totalChangeLines } from '@aish/contracts/effect-lines';
import type { Effects } from '@aish/contracts/effects';
import type { GoalSnapshotList } from '@aish/contracts/files';
import type { Decision, DecisionList } from '@aish/contracts/decisions';
import type { GoalDetail } from '@aish/contracts/goals';
import { plural } from '@aish/contracts/plural';
import { formatSteps, stateDetail } from '@aish/views/goal.format';
import { hasEnded } from '@aish/views/goal.state';
import { cleanText, oneLine } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { call } from '../api.js';
import { useTimeline } from '../live/use-timeline.js';
import { Age, Card, Screen, may } from '../parts/frame.js';
import { DiskChart, TokenChart } from '../parts/goal-charts.js';
import { GoalText } from '../parts/goal-text.js';
import { EntryView, Markdown } from '../parts/pieces.js';
import { Undoable, type Snapshot } from '../parts/undo.js';
import { Loaded, Trouble, useDoing, useResource } from '../parts/resource.js';
import { StateMark } from '../parts/state.js';
import { VirtualList } from '../parts/virtual-list.js';
import { T } from '../texts.js';
import { DecisionCards } from './decision.cards.js';
import { Steer } from './goal.steer.js';
import { Snapshots } from './snapshots.js';

export default function GoalScreen({ reference }: { readonly reference: string }): JSX.Element {
  const goal = useResource(goalsApi.show, { params: { ref: reference } }, true);
  const decisions = useResource(decisionsApi.list, {}, true);
  // The api undoes nothing while the goal runs.
  const canUndo = may('operate') && goal.data !== null && goal.data.state !== 'running';
  const snapshots = useResource(undoApi.list, canUndo ? { params: { ref: reference } } : null, true);
  const { timeline, isOld } = useTimeline(goal.data?.sessionId ?? null);
  return (
    <Loaded of={goal}>
      {(data) => (
        <Undoable.Provider value={undoable(snapshots.data, data)}>
          <Screen title={<GoalTitle goal={data} />} tools={<GoalTools goal={data} done={goal.reload} />}>
            <GoalText kind="lead" text={data.text} />
            <p class="facts s-dim">
              {formatSteps(data)} steps · {data.preset} · {data.space} · {plural(data.tokensUsed, 'token')} ·{' '}
              <Age at={data.createdAt} />
              {data.verify === null ? null : (
                <>
                  {' · '}
                  <code>{oneLine(data.verify)}</code> {data.verified ? '✓' : ''}
                </>
              )}
            </p>
            {stateDetail(data) === '' || hasEnded(data.state) ? null : <p class="s-warn">{stateDetail(data)}</p>}
            {hasEnded(data.state) ? <Result goal={data} /> : null}
            {isOld ? <p class="s-warn">{T.goal.seen}</p> : null}
            {timeline.dropped > 0 ? <p class="s-dim">… {T.goal.dropped(timeline.dropped)}</p> : null}
            <VirtualList
              items={timeline.entries}
              label={T.goal.timeline}
              startsAtEnd={!hasEnded(data.state)}
              draw={(entry) => <EntryView entry={entry} />}
            />
            <DecisionCards items={waiting(decisions.data, data.id)} done={decisions.reload} />
            {hasEnded(data.state) || !may('operate') ? null : (
              <Steer
                sessionId={data.sessionId}
                isAsked={waiting(decisions.data, data.id).some(({ kind }) => takesAnswer(kind))}
              />
            )}
            {hasEnded(data.state) ? <After goal={data} /> : null}
            {data.state === 'halted' ? (
              // The text is folded, because the open question is at the end of the page and must be visible.
              <details class="wrote">
                <summary>{T.goal.soFar}</summary>
                <After goal={data} />
              </details>
            ) : null}
          </Screen>
        </Undoable.Provider>
      )}
    </Loaded>
  );
}

/** Shows how much the goal used, and the changes that can be undone. */
function After({ goal: { steps, actions } }: { readonly goal: GoalDetail }): JSX.Element {
  return (
    <aside class="after">
      <TokenChart steps={steps} />
      <DiskChart actions={actions} />
      {may('operate') ? <Snapshots /> : null}
    </aside>
  );
}

/** Shows the result of the goal, before its history. */
function Result({ goal: { state, summary, reason, effects } }: { readonly goal: GoalDetail }): JSX.Element | null {
  const text = summary ?? reason ?? '';
  const lines = totalChangeLines(effects);
  if (text === '' && lines.length === 0) return null;
  return (
    <Card title={T.goal.result}>
      {text === '' ? null : state === 'done' ? <Markdown text={text} /> : <p class="plain">{cleanText(text)}</p>}
      {lines.map((each) => (
        <p key={each} class="s-dim">
          {cleanText(each)}
        </p>
      ))}
    </Card>
  );
}

/** Returns the snapshots without those of commands that changed nothing. */
function undoable(snapshots: GoalSnapshotList | null, { actions }: GoalDetail): readonly Snapshot[] {
  const idle = new Set(actions.filter((each) => changedNothing(each.outcome?.effects)).map(({ id }) => id));
  return (snapshots?.items ?? []).filter(({ actionId }) => !idle.has(actionId));
}

function changedNothing(effects: Effects | null | undefined): boolean {
  if (!effects?.complete) return false;
  return effects.created.files + effects.changed.files + effects.deleted.files === 0;
}

function waiting(decisions: DecisionList | null, goalId: string): readonly Decision[] {
  return decisions?.items.filter((each) => each.goalId === goalId) ?? [];
}

function GoalTitle({ goal: { number, state } }: { readonly goal: GoalDetail }): JSX.Element {
  return (
    <>
      Goal {number} <StateMark state={state} />
    </>
  );
}

function GoalTools({ goal, done }: { readonly goal: GoalDetail; readonly done: () => void }): JSX.Element | null {
  const doing = useDoing();
  if (!may('operate')) return null;
  const sent = { params: { ref: goal.number } };
  const run = (work: () => Promise<unknown>): void =>
    void doing.run(async () => {
      await work();
      done();
    });
  const isOpen = !hasEnded(goal.state);
  return (
    <>
      {isOpen && goal.state !== 'paused' ? (
        <button type="button" disabled={doing.isBusy} onClick={() => run(() => call(goalsApi.pause, sent))}>
          {T.goal.pause}
        </button>
      ) : null}
      {goal.state === 'paused' ? (
        <button
          type="button"
          class="primary"
          disabled={doing.isBusy}
          onClick={() => run(() => call(goalsApi.resume, sent))}
        >
          {T.goal.resume}
        </button>
      ) : null}
      {isOpen ? (
        <button
          type="button"
          class="danger"
          disabled={doing.isBusy}
          onClick={() => confirm(T.goal.confirmCancel) && run(() => call(goalsApi.cancel, sent))}
        >
          {T.goal.cancel}
        </button>
      ) : null}
      {!isOpen && goal.state !== 'done' ? (
        <button
          type="button"
          disabled={doing.isBusy}
          onClick={() => run(() => call(goalsApi.continue, { ...sent, body: {} }))}
        >
          {T.goal.proceedMore}
        </button>
      ) : null}
      {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
    </>
  );
}
