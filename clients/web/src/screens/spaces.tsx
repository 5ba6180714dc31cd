import { spacesApi } from '@aish/contracts/endpoints/access';
import { formatApprovalRule } from '@aish/contracts/approvals';
import { formatWindow } from '@aish/contracts/change-windows';
import { formatEscalation } from '@aish/contracts/escalation';
import { formatNetworkRule } from '@aish/contracts/network';
import { DEFAULT_SPACE } from '@aish/contracts/space-name';
import { emptySpace, type Space } from '@aish/contracts/spaces';
import { cleanText } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Card, Field, Screen, may } from '../parts/frame.js';
import { RemoveButton } from '../parts/remove-button.js';
import { call } from '../api.js';
import { Loaded, useResource } from '../parts/resource.js';
import { T } from '../texts.js';
import { SpaceForm } from './space.form.js';

export default function Spaces(): JSX.Element {
  const spaces = useResource(spacesApi.list, {}, true);
  return (
    <Screen title={T.spaces.title}>
      <Loaded of={spaces}>
        {({ items }) => (
          <div class="tiles">
            {items.map((space) => (
              <SpaceCard key={space.name} space={space} done={spaces.reload} />
            ))}
          </div>
        )}
      </Loaded>
      {may('admin') ? (
        <details class="wrote">
          <summary>{T.spaces.another}</summary>
          <SpaceForm space={emptySpace('')} title={T.spaces.make} done={spaces.reload}>
            <Field label={T.spaces.name}>
              <input name="name" required maxLength={63} placeholder="media" autoComplete="off" />
            </Field>
          </SpaceForm>
        </details>
      ) : null}
    </Screen>
  );
}

function SpaceCard({ space, done }: { readonly space: Space; readonly done: () => void }): JSX.Element {
  const [isChanging, setChanging] = useState(false);
  const list = (names: readonly string[]): string => (names.length === 0 ? T.spaces.nothing : names.join(', '));
  const network =
    space.network.mode === 'none' ? T.spaces.nothing : space.network.rules.map(formatNetworkRule).join(' ');
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
      {may('admin') ? (
        <div class="actions">
          <button type="button" aria-expanded={isChanging} onClick={() => setChanging(!isChanging)}>
            {isChanging ? T.cancel : T.change}
          </button>
          {space.name === DEFAULT_SPACE ? null : (
            <RemoveButton remove={() => call(spacesApi.remove, { params: { name: space.name } })} done={done} />
          )}
        </div>
      ) : null}
      {isChanging ? (
        <SpaceForm
          key={space.changedAt}
          space={space}
          title={`${T.save}: ${space.name}`}
          done={() => {
            setChanging(false);
            done();
          }}
        />
      ) : null}
    </Card>
  );
}
