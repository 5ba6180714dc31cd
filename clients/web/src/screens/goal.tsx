import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import { goalsApi } from '@aish/contracts/endpoints/goals';
import type { Decision, DecisionList } from '@aish/contracts/decisions';
import type { GoalDetail } from '@aish/contracts/goals';
import { plural } from '@aish/views/plural';
import { formatSteps, stateDetail } from '@aish/views/goal.format';
import { hasEnded } from '@aish/views/goal.state';
import { oneLine } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { call } from '../api.js';
import { useTimeline } from '../live/use-timeline.js';
import { Age, Screen, may } from '../parts/frame.js';
import { DiskChart, TokenChart } from '../parts/goal-charts.js';
import { EntryView } from '../parts/pieces.js';
import { Loaded, Trouble, useDoing, useResource } from '../parts/resource.js';
import { StateMark } from '../parts/state.js';
import { VirtualList } from '../parts/virtual-list.js';
import { T } from '../texts.js';
import { DecisionCards } from './decision.cards.js';
import { Snapshots } from './snapshots.js';

export default function GoalScreen({ reference }: { readonly reference: string }): JSX.Element {
  const goal = useResource(goalsApi.show, { params: { ref: reference } }, true);
  const decisions = useResource(decisionsApi.list, {}, true);
  const { timeline, isOld } = useTimeline(goal.data?.sessionId ?? null);
  return (
    <Loaded of={goal}>
      {(data) => (
        <Screen title={<GoalTitle goal={data} />} tools={<GoalTools goal={data} done={goal.reload} />}>
          <p class="lead">{data.text}</p>
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
          {isOld ? <p class="s-warn">{T.goal.seen}</p> : null}
          {timeline.dropped > 0 ? <p class="s-dim">… {T.goal.dropped(timeline.dropped)}</p> : null}
          <VirtualList items={timeline.entries} label={T.goal.timeline} draw={(entry) => <EntryView entry={entry} />} />
          <DecisionCards items={waiting(decisions.data, data.id)} done={decisions.reload} />
          {hasEnded(data.state) ? <After goal={data} /> : null}
          {data.state === 'halted' ? (
            // Folded: what is asked about is the end of the page, and in sight.
            <details class="wrote">
              <summary>{T.goal.soFar}</summary>
              <After goal={data} />
            </details>
          ) : null}
        </Screen>
      )}
    </Loaded>
  );
}

/** What it took, and what can be taken back. */
function After({ goal: { steps, actions, number } }: { readonly goal: GoalDetail }): JSX.Element {
  return (
    <aside class="after">
      <TokenChart steps={steps} />
      <DiskChart actions={actions} />
      {may('operate') ? <Snapshots goal={number} /> : null}
    </aside>
  );
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
