import { modelsApi } from '@aish/contracts/endpoints/server';
import { oneLine } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { call } from '../api.js';
import { DoButton } from '../parts/do-button.js';
import { Card, Screen, may } from '../parts/frame.js';
import { Loaded, Trouble, useDoing, useResource } from '../parts/resource.js';
import { T } from '../texts.js';

export default function Models(): JSX.Element {
  const models = useResource(modelsApi.list, {});
  const doing = useDoing();
  return (
    <Screen title={T.models.title}>
      {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
      <Loaded of={models}>
        {({ items }) => (
          <div class="tiles">
            {items.map(({ preset, model, baseUrl, state, detail, demo, capabilities }) => (
              <Card key={preset} title={preset}>
                <p>
                  <span class={state === 'ready' ? 's-good' : 's-warn'}>{state}</span> · {model ?? '?'}
                </p>
                <p class="s-dim">{baseUrl}</p>
                {demo ? <p class="s-warn">{T.models.demo}</p> : null}
                {detail === null ? null : <p class="s-warn">{oneLine(detail)}</p>}
                {capabilities?.contextTokens ? (
                  <p class="s-dim">
                    {capabilities.contextTokens} {T.models.context}
                  </p>
                ) : null}
                {capabilities?.notes.map((note) => (
                  <p key={note} class="s-dim">
                    {oneLine(note)}
                  </p>
                ))}
                {may('operate') ? (
                  <DoButton
                    doing={doing}
                    act={async () => {
                      await call(modelsApi.probe, { params: { preset } });
                      models.reload();
                    }}
                  >
                    {T.models.probe}
                  </DoButton>
                ) : null}
              </Card>
            ))}
          </div>
        )}
      </Loaded>
    </Screen>
  );
}
