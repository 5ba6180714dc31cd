import { auditApi } from '@aish/contracts/endpoints/server';
import type { AuditEntry } from '@aish/contracts/audit';
import { formatMoment } from '@aish/views/duration.format';
import { oneLine } from '@aish/views/sanitise';
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
              <div class="table" tabIndex={0} role="region" aria-label={T.audit.title}>
                <table>
                  <tbody>
                    {all.map(({ n, at, actor, action, subject, facts }) => (
                      <tr key={n}>
                        <td class="s-dim">{formatMoment(at)}</td>
                        <td>{oneLine(actor)}</td>
                        <td>{action}</td>
                        <td>{oneLine(subject)}</td>
                        <td class="s-dim small">
                          {Object.keys(facts).length === 0 ? '' : oneLine(JSON.stringify(facts))}
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
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
