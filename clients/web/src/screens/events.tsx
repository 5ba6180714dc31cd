import type { EventRuleList, EventSourceList, ReceivedEventList } from '@aish/contracts/incoming-events';
import { oneLine } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { ask } from '../api.js';
import { DoButton } from '../parts/do-button.js';
import { Age, Card, Nothing, Screen, may } from '../parts/frame.js';
import { Loaded, Trouble, useDoing, useResource } from '../parts/resource.js';
import { hrefTo } from '../route.js';
import { T } from '../texts.js';

export default function Events(): JSX.Element {
  const sources = useResource<EventSourceList>('/v1/event-sources');
  const rules = useResource<EventRuleList>('/v1/event-rules');
  const received = useResource<ReceivedEventList>('/v1/events?limit=100', true);
  const doing = useDoing();
  return (
    <Screen title={T.events.title}>
      {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
      <Card title={T.events.received}>
        <Loaded of={received}>
          {({ items }) =>
            items.length === 0 ? (
              <Nothing>{T.events.none}</Nothing>
            ) : (
              <ul class="rows">
                {items.map(({ id, number, source, outcome, repeats, goal, rule, body, lastAt }) => (
                  <li key={id} class="row still">
                    <span class="row-main">
                      <span class="row-title">
                        {number} · {source} · {outcome}
                        {repeats > 0 ? ` (${repeats + 1}×)` : ''}
                      </span>
                      <details class="wrote">
                        <summary>{rule === null ? '…' : `rule ${rule}`}</summary>
                        <pre class="small" tabIndex={0}>
                          {JSON.stringify(body, null, 2)}
                        </pre>
                      </details>
                    </span>
                    <span class="row-side s-dim">
                      {goal === null ? null : <a href={hrefTo('goals', goal)}>goal {goal}</a>} <Age at={lastAt} />
                      {may('operate') ? (
                        <DoButton
                          doing={doing}
                          act={async () => {
                            await ask('POST', `/v1/events/${number}/replay`, { body: {} });
                            received.reload();
                          }}
                        >
                          {T.events.replay}
                        </DoButton>
                      ) : null}
                    </span>
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </Card>
      <Card title={T.events.rules}>
        <Loaded of={rules}>
          {({ items }) =>
            items.length === 0 ? (
              <Nothing />
            ) : (
              <ul class="plain-list">
                {items.map(({ id, number, source, match, goal }) => (
                  <li key={id}>
                    r{number} · {source} ·{' '}
                    <code>
                      {Object.entries(match)
                        .map(([path, value]) => `${path}=${value}`)
                        .join(' ')}
                    </code>{' '}
                    → {oneLine(goal.text)}
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </Card>
      <Card title={T.events.sources}>
        <Loaded of={sources}>
          {({ items }) =>
            items.length === 0 ? (
              <Nothing />
            ) : (
              <ul class="plain-list">
                {items.map(({ name, proof }) => (
                  <li key={name}>
                    <code>POST /v1/events/{name}</code> · {proof}
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </Card>
    </Screen>
  );
}
