import { hostsApi } from '@aish/contracts/endpoints/access';
import { showExact } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { call } from '../api.js';
import { Age, Card, Nothing, Screen, may } from '../parts/frame.js';
import { RemoveButton } from '../parts/remove-button.js';
import { Loaded, useResource } from '../parts/resource.js';
import { T } from '../texts.js';
import { AddHost, HostGuide, HostPrelude } from './host.forms.js';

export default function Hosts(): JSX.Element {
  const hosts = useResource(hostsApi.list, {}, true);
  return (
    <Screen title={T.hosts.title}>
      <Loaded of={hosts}>
        {({ items }) =>
          items.length === 0 ? (
            <Nothing>{T.hosts.none}</Nothing>
          ) : (
            <Card>
              <ul class="rows">
                {items.map((host) => (
                  <li key={host.name} class="row still">
                    <span class="row-main">
                      <span class="row-title">
                        {host.name}{' '}
                        <span class="s-dim">
                          {host.user}@{host.address}:{host.port} · {host.login}
                        </span>
                      </span>
                      <span class="row-note">
                        {host.keys.length === 0 ? (
                          <span class="s-warn">{T.hosts.untrusted}</span>
                        ) : (
                          host.keys.map(({ fingerprint }) => fingerprint).join(' ')
                        )}
                      </span>
                      {host.prelude === null ? null : (
                        <span class="row-note">
                          before each approved command: <code>{showExact(host.prelude)}</code>
                        </span>
                      )}
                      {host.last === null ? null : (
                        <span class="row-note">
                          last: <code>{showExact(host.last.command)}</code>
                        </span>
                      )}
                      {may('admin') ? (
                        <>
                          <HostGuide host={host} done={hosts.reload} />
                          <HostPrelude host={host} done={hosts.reload} />
                        </>
                      ) : null}
                    </span>
                    <span class="row-side s-dim">
                      {host.lastSeenAt === null ? T.hosts.never : <Age at={host.lastSeenAt} />}
                      {may('admin') ? (
                        <RemoveButton
                          remove={() => call(hostsApi.remove, { params: { name: host.name } })}
                          done={hosts.reload}
                        />
                      ) : null}
                    </span>
                  </li>
                ))}
              </ul>
            </Card>
          )
        }
      </Loaded>
      {may('admin') ? <AddHost done={hosts.reload} /> : null}
    </Screen>
  );
}
