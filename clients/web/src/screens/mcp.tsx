import { mcpApi } from '@aish/contracts/endpoints/mcp';
import type { McpServerStatus } from '@aish/contracts/mcp';
import { hiddenToolLines, mcpServerLines } from '@aish/views/mcp.format';
import { cleanText } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { call } from '../api.js';
import { Card, Field, Nothing, Screen, may } from '../parts/frame.js';
import { RemoveButton } from '../parts/remove-button.js';
import { Loaded, useResource } from '../parts/resource.js';
import { RowForm } from '../parts/row-form.js';
import { Spans } from '../parts/spans.js';
import { T } from '../texts.js';

export default function McpServers(): JSX.Element {
  const servers = useResource(mcpApi.servers, {}, true);
  return (
    <Screen
      title={T.mcp.title}
      tools={
        <button type="button" onClick={servers.reload}>
          {T.mcp.again}
        </button>
      }
    >
      <Loaded of={servers}>
        {(list) => (
          <>
            {hiddenToolLines(list).map((spans, index) => (
              <p key={index}>
                <Spans of={spans} />
              </p>
            ))}
            {list.items.length === 0 ? (
              <Nothing>{T.mcp.none}</Nothing>
            ) : (
              <Card>
                <ul class="rows">
                  {list.items.map((server) => (
                    <Server key={server.alias} server={server} done={servers.reload} />
                  ))}
                </ul>
              </Card>
            )}
          </>
        )}
      </Loaded>
      {may('operate') ? (
        <RowForm
          title={T.mcp.connect}
          send={async (value) => {
            const [url, alias] = [value('url'), value('alias')];
            await call(mcpApi.connect, {
              body: { url, save: value('save') === 'on', ...(alias === '' ? {} : { alias }) },
            });
            servers.reload();
          }}
        >
          <div class="grid">
            <Field label={T.mcp.url}>
              <input name="url" type="url" required placeholder="http://films.lan:3001/mcp" />
            </Field>
            <Field label={T.mcp.alias} help={T.mcp.aliasHelp}>
              <input name="alias" class="mono" autoComplete="off" />
            </Field>
          </div>
          <label class="tick">
            <input name="save" type="checkbox" />
            {T.mcp.save}
          </label>
        </RowForm>
      ) : null}
    </Screen>
  );
}

function Server({ server, done }: { readonly server: McpServerStatus; readonly done: () => void }): JSX.Element {
  const { alias, source, logLines } = server;
  return (
    <li class="row still">
      <span class="row-main">
        {mcpServerLines(server).map((spans, index) => (
          <span key={index} class={index === 0 ? undefined : 'row-note'}>
            <Spans of={spans} />
          </span>
        ))}
        {logLines.length === 0 ? null : (
          <details>
            <summary>{T.mcp.log}</summary>
            <pre class="small">{cleanText(logLines.join('\n'))}</pre>
          </details>
        )}
      </span>
      {may('operate') && source !== 'configuration' ? (
        <RemoveButton
          remove={() => call(mcpApi.disconnect, { params: { alias } })}
          label={T.mcp.disconnect}
          done={done}
        />
      ) : null}
    </li>
  );
}
