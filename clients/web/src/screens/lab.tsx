import { briefApi } from '@aish/contracts/endpoints/lab';
import type { LabFinding } from '@aish/contracts/lab';
import { formatFact } from '@aish/views/fact.format';
import { oneLine } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../api.js';
import { DoButton } from '../parts/do-button.js';
import { Age, Card, Screen, may } from '../parts/frame.js';
import { Loaded, Trouble, useDoing, useResource } from '../parts/resource.js';
import { goTo } from '../route.js';
import { T } from '../texts.js';
import { LabSchedule } from './lab-schedule.js';

const DAY_MS = 86_400_000;
const CHANGES_MAX = 100;

export default function Lab(): JSX.Element {
  const brief = useResource(briefApi.show, {});
  const [sentences, setSentences] = useState<readonly string[]>([]);
  const doing = useDoing();
  const look = async (): Promise<void> => {
    setSentences((await call(briefApi.run, {})).sentences);
    brief.reload();
  };
  return (
    <Screen
      title={T.lab.title}
      tools={
        may('operate') ? (
          <DoButton doing={doing} act={look} isQuiet={false}>
            {doing.isBusy ? T.lab.looking : T.lab.look}
          </DoButton>
        ) : null
      }
    >
      {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
      <Loaded of={brief}>
        {({ findings, hosts, lines, work }) => (
          <>
            <Card title={oneLine(lines[0] ?? '')}>
              {sentences.length === 0 ? null : <p class="s-dim">{T.lab.model}</p>}
              {sentences.map((text) => (
                <p key={text}>{oneLine(text)}</p>
              ))}
              <ul class="rows">
                {findings
                  .toSorted((a, b) => Number(a.muted) - Number(b.muted))
                  .map((finding) => (
                    <Finding key={finding.id} finding={finding} done={brief.reload} />
                  ))}
              </ul>
              {work.map((text) => (
                <p key={text}>{oneLine(text)}</p>
              ))}
            </Card>
            {hosts.every(({ detail }) => detail === '') ? null : (
              <Card title={T.lab.silent}>
                <ul class="rows">
                  {hosts
                    .filter(({ detail }) => detail !== '')
                    .map(({ host, detail }) => (
                      <li key={host} class="row still">
                        <span class="row-main">
                          <span class="row-title">{host}</span>
                          <span class="row-note wrap">{oneLine(detail)}</span>
                        </span>
                      </li>
                    ))}
                </ul>
              </Card>
            )}
          </>
        )}
      </Loaded>
      <Changes />
      <LabSchedule />
    </Screen>
  );
}

function Finding({ finding, done }: { readonly finding: LabFinding; readonly done: () => void }): JSX.Element {
  const { id, sentence, firstSeenAt, muted, fact } = finding;
  const doing = useDoing();
  const [until, setUntil] = useState(() => new Date(Date.now() + 7 * DAY_MS).toISOString().slice(0, 10));
  const mute = async (): Promise<void> => {
    await call(briefApi.mute, { params: { id }, body: { until: new Date(until).toISOString() } });
    done();
  };
  const fix = async (): Promise<void> => {
    goTo('goals', (await call(briefApi.fix, { params: { id } })).number);
  };
  return (
    <li class="row still">
      <span class="row-main">
        <span class="row-title wrap">{oneLine(sentence)}</span>
        <span class="row-note">
          {id} · {T.lab.since} <Age at={firstSeenAt} />
          {muted ? ` · ${T.lab.muted}` : ''}
        </span>
        <details class="wrote">
          <summary>{oneLine(`${fact.probe} ${fact.name}`)}</summary>
          <pre>{formatFact(fact.values).join('\n')}</pre>
        </details>
        {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
      </span>
      {may('operate') ? (
        <span class="row-side">
          <input
            type="date"
            aria-label={T.lab.until(id)}
            value={until}
            required
            onInput={(event) => setUntil(event.currentTarget.value)}
          />
          <DoButton doing={doing} act={mute}>
            {T.lab.mute}
          </DoButton>
          <DoButton doing={doing} act={fix}>
            {T.lab.fix}
          </DoButton>
        </span>
      ) : null}
    </li>
  );
}

function Changes(): JSX.Element {
  const [since] = useState(() => new Date(Date.now() - DAY_MS).toISOString());
  const changes = useResource(briefApi.changes, { query: { since } });
  return (
    <Card title={T.lab.changed}>
      <Loaded of={changes}>
        {({ items }) =>
          items.length === 0 ? (
            <p>{T.lab.unchanged}</p>
          ) : (
            <ul class="rows">
              {items.slice(0, CHANGES_MAX).map(({ host, probe, name, before, after }) => (
                <li key={`${host} ${probe} ${name}`} class="row still">
                  <span class="row-main">
                    <span class="row-title wrap">{oneLine(`${host}: ${probe} ${name}`)}</span>
                    <span class="row-note wrap">{oneLine(`${before ?? T.lab.absent} → ${after ?? T.lab.absent}`)}</span>
                  </span>
                </li>
              ))}
              {items.length > CHANGES_MAX ? <li>{T.lab.more(items.length - CHANGES_MAX)}</li> : null}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}
