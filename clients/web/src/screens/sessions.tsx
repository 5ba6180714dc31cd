import { sessionsApi } from '@aish/contracts/endpoints/sessions';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Card, Nothing, Screen } from '../parts/frame.js';
import { Loaded, useResource } from '../parts/resource.js';
import { SearchBox } from '../parts/search-box.js';
import { T } from '../texts.js';
import { SessionRows } from './chats.js';

export default function Sessions(): JSX.Element {
  const [words, setWords] = useState('');
  const sessions = useResource(
    sessionsApi.list,
    { query: { limit: 100, q: words === '' ? undefined : words } },
    words === '',
  );
  return (
    <Screen title={T.sessions.title}>
      <SearchBox label={T.sessions.search} found={setWords} />
      <Loaded of={sessions}>
        {({ items }) =>
          items.length === 0 ? (
            <Nothing />
          ) : (
            <Card>
              <SessionRows items={items} />
            </Card>
          )
        }
      </Loaded>
    </Screen>
  );
}
