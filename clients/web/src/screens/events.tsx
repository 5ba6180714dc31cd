import { eventsApi } from '@aish/contracts/endpoints/events';
import type { EventRule, EventTest } from '@aish/contracts/incoming-events';
import { oneLine } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../api.js';
import { DoButton } from '../parts/do-button.js';
import { Age, Card, Nothing, Screen, may } from '../parts/frame.js';
import { RemoveButton } from '../parts/remove-button.js';
import { Loaded, Trouble, useDoing, useResource } from '../parts/resource.js';
import { hrefTo } from '../route.js';
import { pairLines } from '../parts/words.js';
import { T } from '../texts.js';
import { AddRule, AddSource } from './event.forms.js';

export default function Events(): JSX.Element {
  const sources = useResource(eventsApi.sources, {});
  const rules = useResource(eventsApi.rules, {});
  const received = useResource(eventsApi.list, { query: { limit: 100 } }, true);
  const [like, setLike] = useState<EventRule | null>(null);
  const doing = useDoing();
  const changed = (): void => {
    sources.reload();
    rules.reload();
    received.reload();
  };
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
                      <Test number={number} />
                      {may('operate') ? (
                        <DoButton
                          doing={doing}
                          act={async () => {
                            await call(eventsApi.replay, { params: { ref: number } });
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
              <ul class="rows">
                {items.map((rule) => (
                  <li key={rule.id} class="row still">
                    <span class="row-main">
                      <span class="row-title">{oneLine(rule.goal.text)}</span>
                      <span class="row-note">
                        r{rule.number} · {rule.source} <code>{pairLines(rule.match).replaceAll('\n', ' ')}</code>
                      </span>
                    </span>
                    {may('admin') ? (
                      <span class="row-side">
                        <button type="button" class="quiet" onClick={() => setLike(rule)}>
                          {T.events.likeThis}
                        </button>
                        <RemoveButton
                          remove={() => call(eventsApi.removeRule, { params: { ref: rule.number } })}
                          done={rules.reload}
                        />
                      </span>
                    ) : null}
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
              <ul class="rows">
                {items.map(({ name, proof }) => (
                  <li key={name} class="row still">
                    <span class="row-main">
                      <code class="row-title">POST /v1/events/{name}</code>
                      <span class="row-note">{proof}</span>
                    </span>
                    {may('admin') ? (
                      <RemoveButton remove={() => call(eventsApi.removeSource, { params: { name } })} done={changed} />
                    ) : null}
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </Card>
      {may('admin') ? (
        <>
          <AddSource done={changed} />
          <AddRule
            sources={sources.data?.items ?? []}
            like={like}
            done={() => {
              setLike(null);
              rules.reload();
            }}
          />
        </>
      ) : null}
    </Screen>
  );
}

/** Shows the goal that an event would start under the current rules. Nothing is started. */
function Test({ number }: { readonly number: number }): JSX.Element {
  const [test, setTest] = useState<EventTest | null>(null);
  const doing = useDoing();
  return (
    <span aria-live="polite">
      <DoButton doing={doing} act={async () => setTest(await call(eventsApi.test, { params: { ref: number } }))}>
        {T.events.test}
      </DoButton>
      {test === null ? null : <span class="s-dim"> {wouldGive(test)}</span>}
      {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
    </span>
  );
}

function wouldGive({ rule, isResolved, text }: EventTest): string {
  if (rule === null) return T.events.wouldNone;
  return isResolved ? T.events.wouldEnd : T.events.wouldGive(rule, oneLine(text ?? ''));
}
