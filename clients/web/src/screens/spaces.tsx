import { formatApprovalRule } from '@aish/contracts/approvals';
import { formatWindow } from '@aish/contracts/change-windows';
import { formatEscalation } from '@aish/contracts/escalation';
import type { Space, SpaceList } from '@aish/contracts/spaces';
import { cleanText } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { Card, Screen } from '../parts/frame.js';
import { Loaded, useResource } from '../parts/resource.js';
import { T } from '../texts.js';

export default function Spaces(): JSX.Element {
  const spaces = useResource<SpaceList>('/v1/spaces', true);
  return (
    <Screen title={T.spaces.title}>
      <Loaded of={spaces}>
        {({ items }) => (
          <div class="tiles">
            {items.map((space) => (
              <SpaceCard key={space.name} space={space} />
            ))}
          </div>
        )}
      </Loaded>
    </Screen>
  );
}

function SpaceCard({ space }: { readonly space: Space }): JSX.Element {
  const list = (names: readonly string[]): string => (names.length === 0 ? T.spaces.nothing : names.join(', '));
  const network =
    space.network.mode === 'none'
      ? T.spaces.nothing
      : space.network.rules.map(({ host, ports }) => `${host}:${ports.join(',')}`).join(' ');
  const facts = [
    [T.spaces.network, network],
    [T.spaces.folders, list(space.hostFolders)],
    [T.spaces.hosts, list(space.hosts)],
    [T.spaces.secrets, list(space.secrets)],
    [T.spaces.servers, space.mcpServers === null ? T.spaces.allServers : list(space.mcpServers)],
    [T.spaces.people, space.users === null ? T.spaces.everyone : list(space.users)],
    [T.spaces.deciders, space.deciders === null ? T.spaces.everyone : list(space.deciders)],
    [T.spaces.windows, list(space.windows.map(formatWindow))],
    [T.spaces.approvals, list(space.approvals.map(formatApprovalRule))],
    [T.spaces.escalation, list(space.escalation.map(formatEscalation))],
  ] as const;
  return (
    <Card title={space.name}>
      <dl class="facts-list">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {space.instructions === '' ? null : (
        <details class="wrote">
          <summary>{T.spaces.instructions}</summary>
          <p class="plain">{cleanText(space.instructions)}</p>
        </details>
      )}
    </Card>
  );
}
