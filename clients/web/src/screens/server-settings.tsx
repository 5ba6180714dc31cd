import { settingsApi } from '@aish/contracts/endpoints/server';
import { isChanged, type ShownSetting } from '@aish/contracts/shown-settings';
import { oneLine } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Card, Nothing } from '../parts/frame.js';
import { Loaded, useResource } from '../parts/resource.js';
import { SearchBox } from '../parts/search-box.js';
import { T } from '../texts.js';

/** Shows the settings of the api: only those that someone set, or all of them. */
export function ServerSettings(): JSX.Element {
  const settings = useResource(settingsApi.list, {});
  const [isAll, setAll] = useState(false);
  const [words, setWords] = useState('');
  const isFound = ({ name, about }: ShownSetting): boolean =>
    `${name} ${about}`.toLowerCase().includes(words.toLowerCase());
  return (
    <Card title={T.settings.server}>
      <p class="s-dim">{T.settings.serverHelp}</p>
      <Loaded of={settings}>
        {({ items }) => {
          const shown = items.filter((each) => (words === '' ? isAll || isChanged(each) : isFound(each)));
          return (
            <>
              <SearchBox label={T.settings.serverFind} found={setWords} />
              {shown.length === 0 ? (
                <Nothing>{words === '' ? T.settings.serverNone : T.nothing}</Nothing>
              ) : (
                <dl class="facts-list wide">
                  {shown.map((each) => (
                    <Row key={each.name} setting={each} />
                  ))}
                </dl>
              )}
              <div class="actions">
                <button type="button" aria-pressed={isAll} onClick={() => setAll(!isAll)}>
                  {isAll ? T.settings.serverChanged : T.settings.serverAll(items.length)}
                </button>
              </div>
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}

function Row({ setting }: { readonly setting: ShownSetting }): JSX.Element {
  const { name, about, value, byDefault, isSecret, source } = setting;
  const secret = source === 'default' ? T.settings.notSet : T.settings.isSet;
  const shown = isSecret ? secret : value === null || value === '' ? T.settings.notSet : oneLine(value);
  return (
    <div>
      <dt>
        <code>{name}</code>
      </dt>
      <dd>
        <strong>{shown}</strong>{' '}
        <span class="s-dim">
          {T.settings.sources[source]}
          {isChanged(setting) && byDefault !== null && !isSecret ? ` · ${T.settings.usual(byDefault)}` : ''}
        </span>
        <p class="s-dim">{about}.</p>
      </dd>
    </div>
  );
}
