import { auditApi } from '@aish/contracts/endpoints/server';
import type { AuditEntry } from '@aish/contracts/audit';
import { formatMoment } from '@aish/views/duration.format';
import { auditFacts, auditSentence } from '@aish/views/audit.format';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../api.js';
import { DoButton } from '../parts/do-button.js';
import { Card, Screen } from '../parts/frame.js';
import { Loaded, Trouble, useDoing, useResource } from '../parts/resource.js';
import { T } from '../texts.js';

export default function Audit(): JSX.Element {
  const newest = useResource(auditApi.list, { query: { limit: 100 } });
  const [older, setOlder] = useState<readonly AuditEntry[]>([]);
  const doing = useDoing();
  return (
    <Screen title={T.audit.title}>
      <Loaded of={newest}>
        {({ items }) => {
          const all = [...items, ...older];
          const last = all.at(-1);
          return (
            <Card>
              <ul class="rows">
                {all.map((entry) => (
                  <li key={entry.n} class="row still">
                    <span class="row-main">
                      <span>{auditSentence(entry)}</span>
                      <Facts entry={entry} />
                    </span>
                    <span class="row-side s-dim">{formatMoment(entry.at)}</span>
                  </li>
                ))}
              </ul>
              {last === undefined || last.n === 1 ? null : (
                <DoButton
                  doing={doing}
                  act={async () => {
                    const more = await call(auditApi.list, { query: { limit: 100, before: last.n } });
                    setOlder([...older, ...more.items]);
                  }}
                  isQuiet={false}
                >
                  {T.audit.older}
                </DoButton>
              )}
              {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
            </Card>
          );
        }}
      </Loaded>
    </Screen>
  );
}

function Facts({ entry }: { readonly entry: AuditEntry }): JSX.Element | null {
  const facts = auditFacts(entry);
  if (facts.length === 0) return null;
  return (
    <details class="wrote">
      <summary>{T.audit.details}</summary>
      <dl class="facts-list wide">
        {[['action', entry.action] as const, ...facts].map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="plain">{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
