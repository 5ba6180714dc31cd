import { goalsApi } from '@aish/contracts/endpoints/goals';
import type { Goal } from '@aish/contracts/goals';
import { formatSteps, stateDetail } from '@aish/views/goal.format';
import { hasEnded } from '@aish/views/goal.state';
import { oneLine } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../api.js';
import { DoButton } from '../parts/do-button.js';
import { Age, Card, Nothing, Screen, may } from '../parts/frame.js';
import { Loaded, useDoing, useResource } from '../parts/resource.js';
import { StopEverything } from '../parts/stop-everything.js';
import { StateMark } from '../parts/state.js';
import { hrefTo } from '../route.js';
import { T } from '../texts.js';

const PAGE = 60;
/** The first screen sends this request. */
export const GOALS = { query: { limit: PAGE } };

export function Goals(): JSX.Element {
  const goals = useResource(goalsApi.list, GOALS, true);
  const [older, setOlder] = useState<readonly Goal[]>([]);
  const doing = useDoing();
  return (
    <Screen
      title={T.goals.title}
      tools={
        may('operate') ? (
          <>
            <StopEverything />
            <a class="button primary" href={hrefTo('give')}>
              {T.goals.give}
            </a>
          </>
        ) : null
      }
    >
      <Loaded of={goals}>
        {({ items }) => {
          const all = [...items, ...older.filter(({ id }) => !items.some((each) => each.id === id))];
          const open = all.filter(({ state }) => !hasEnded(state));
          const ended = all.filter(({ state }) => hasEnded(state));
          const last = all.at(-1);
          return (
            <>
              {all.length === 0 ? <FirstSteps /> : null}
              {open.length === 0 ? null : <GoalRows title={T.goals.open} goals={open} />}
              {ended.length === 0 ? null : <GoalRows title={T.goals.ended} goals={ended} />}
              {items.length < PAGE || last === undefined || last.number === 1 ? null : (
                <DoButton
                  doing={doing}
                  act={async () => {
                    const more = await call(goalsApi.list, { query: { limit: PAGE, before: last.number } });
                    setOlder([...older, ...more.items]);
                  }}
                  isQuiet={false}
                >
                  {T.goals.older}
                </DoButton>
              )}
            </>
          );
        }}
      </Loaded>
    </Screen>
  );
}

/** Shows newcomers the three things that they do with aish. It disappears with the first goal. */
function FirstSteps(): JSX.Element {
  return (
    <>
      <Nothing>{T.goals.none}</Nothing>
      {may('operate') ? (
        <Card title={T.goals.tour}>
          <ol class="tour">
            {T.goals.tourSteps.map(({ to, link, says }) => (
              <li key={to}>
                <a href={hrefTo(to)}>{link}</a> {says}
              </li>
            ))}
          </ol>
        </Card>
      ) : null}
    </>
  );
}

function GoalRows({ title, goals }: { readonly title: string; readonly goals: readonly Goal[] }): JSX.Element {
  return (
    <Card title={title}>
      <ul class="rows">
        {goals.map((goal) => (
          <li key={goal.id}>
            <a class="row" href={hrefTo('goals', goal.number)}>
              <span class="row-main">
                <span class="row-title">{oneLine(goal.text)}</span>
                <span class="row-note">{stateDetail(goal)}</span>
              </span>
              <span class="row-side">
                <StateMark state={goal.state} />
                <span class="s-dim">
                  {goal.number} · {formatSteps(goal)} · <Age at={goal.createdAt} />
                </span>
              </span>
            </a>
          </li>
        ))}
      </ul>
    </Card>
  );
}
