import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import { chatApi, sessionsApi } from '@aish/contracts/endpoints/sessions';
import type { Session } from '@aish/contracts/chat';
import { oneLine } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { call } from '../api.js';
import { useTimeline } from '../live/use-timeline.js';
import { Age, Card, Nothing, Screen, may } from '../parts/frame.js';
import { EntryView } from '../parts/pieces.js';
import { Loaded, useDoing, useResource } from '../parts/resource.js';
import { VirtualList } from '../parts/virtual-list.js';
import { hrefTo } from '../route.js';
import { T } from '../texts.js';
import { Say } from './chat.say.js';
import { DecisionCards } from './decision.cards.js';

export default function Chats(): JSX.Element {
  const sessions = useResource(sessionsApi.list, { query: { kind: 'chat', limit: 60 } }, true);
  return (
    <Screen title={T.chat.title}>
      {may('operate') ? <Say chat={null} /> : null}
      <Loaded of={sessions}>
        {({ items }) =>
          items.length === 0 ? (
            <Nothing>{T.chat.none}</Nothing>
          ) : (
            <Card>
              <SessionRows items={items} />
            </Card>
          )
        }
      </Loaded>
    </Screen>
  );
}

export function SessionRows({ items }: { readonly items: readonly Session[] }): JSX.Element {
  return (
    <ul class="rows">
      {items.map((session) => (
        <li key={session.id}>
          <a
            class="row"
            href={session.goalNumber === null ? hrefTo('chats', session.number) : hrefTo('goals', session.goalNumber)}
          >
            <span class="row-main">
              <span class="row-title">{oneLine(session.title)}</span>
            </span>
            <span class="row-side s-dim">
              {session.goalNumber === null
                ? (session.preset ?? '')
                : `goal ${session.goalNumber} · ${session.goalState}`}{' '}
              · {T.sessions.turns(session.turns)} · <Age at={session.updatedAt} />
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

export function Chat({ reference }: { readonly reference: string }): JSX.Element {
  const session = useResource(sessionsApi.show, { params: { ref: reference } }, true);
  const decisions = useResource(decisionsApi.list, {}, true);
  const { timeline, isOld } = useTimeline(session.data?.id ?? null);
  const stopping = useDoing();
  return (
    <Loaded of={session}>
      {({ id, number, title, state, preset }) => {
        const asked = decisions.data?.items.filter(({ sessionId }) => sessionId === id) ?? [];
        return (
          <Screen title={oneLine(title)} tools={<span class="s-dim">{preset}</span>}>
            {isOld ? <p class="s-warn">{T.goal.seen}</p> : null}
            <VirtualList
              items={timeline.entries}
              label={T.goal.timeline}
              draw={(entry) => <EntryView entry={entry} />}
            />
            <DecisionCards items={asked} done={decisions.reload} />
            {may('operate') ? (
              <div class="composer">
                {state === 'running' ? (
                  <p class="busy" role="status">
                    {T.chat.busy}{' '}
                    <button
                      type="button"
                      disabled={stopping.isBusy}
                      onClick={() => void stopping.run(() => call(chatApi.stop, { params: { ref: number } }))}
                    >
                      {T.chat.stop}
                    </button>
                  </p>
                ) : null}
                <Say chat={number} isBusy={state === 'running'} asked={asked.map((each) => each.number)} />
              </div>
            ) : null}
          </Screen>
        );
      }}
    </Loaded>
  );
}
