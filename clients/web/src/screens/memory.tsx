import type { CandidateList, MemoryCandidate, MemoryItem } from '@aish/contracts/memory';
import { NOT_SAID, ORIGIN_WORDS, flagLines } from '@aish/views/memory.format';
import { oneLine } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ask } from '../api.js';
import { DoButton } from '../parts/do-button.js';
import { Age, Card, Nothing, Screen, may } from '../parts/frame.js';
import { Loaded, Trouble, useDoing, useResource } from '../parts/resource.js';
import { SearchBox } from '../parts/search-box.js';
import { Spans } from '../parts/spans.js';
import { T } from '../texts.js';

export default function Memory(): JSX.Element {
  const [words, setWords] = useState('');
  const path =
    words === '' ? '/v1/memory/items?limit=100' : `/v1/memory/search?limit=50&q=${encodeURIComponent(words)}`;
  const items = useResource<{ readonly items: readonly MemoryItem[] }>(path);
  const candidates = useResource<CandidateList>('/v1/memory/candidates', true);
  const changed = (): void => {
    items.reload();
    candidates.reload();
  };
  const waiting = candidates.data?.items ?? [];
  return (
    <Screen title={T.memory.title}>
      {waiting.length === 0 ? null : (
        <Card title={T.memory.candidates}>
          <p class="s-dim">{T.memory.candidatesHelp}</p>
          <ul class="rows">
            {waiting.map((candidate) => (
              <Candidate key={candidate.number} candidate={candidate} done={changed} />
            ))}
          </ul>
        </Card>
      )}
      {may('operate') ? <Remember done={changed} /> : null}
      <SearchBox label={T.memory.search} found={setWords} />
      <Loaded of={items}>
        {({ items: found }) =>
          found.length === 0 ? (
            <Nothing />
          ) : (
            <Card title={T.memory.items}>
              <ul class="rows">
                {found.map((item) => (
                  <Item key={item.number} item={item} done={changed} />
                ))}
              </ul>
            </Card>
          )
        }
      </Loaded>
    </Screen>
  );
}

function Candidate({
  candidate,
  done,
}: {
  readonly candidate: MemoryCandidate;
  readonly done: () => void;
}): JSX.Element {
  const [content, setContent] = useState(candidate.content);
  const doing = useDoing();
  const post = (what: string, body: unknown): void =>
    void doing.run(async () => {
      await ask('POST', `/v1/memory/candidates/${candidate.number}/${what}`, { body });
      done();
    });
  return (
    <li class="row still">
      <span class="row-main">
        <textarea
          rows={2}
          aria-label={`${candidate.kind} ${candidate.number}`}
          value={content}
          readOnly={!may('operate')}
          onInput={({ currentTarget }) => setContent(currentTarget.value)}
        />
        {candidate.origin === 'output' ? <p class="s-warn">{NOT_SAID}</p> : null}
        {candidate.source?.excerpt ? <p class="s-dim">{oneLine(candidate.source.excerpt)}</p> : null}
        {flagLines(candidate).map((flag, index) => (
          <p key={index}>
            <Spans of={flag} />
          </p>
        ))}
        {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
      </span>
      {may('operate') ? (
        <span class="row-side">
          <button
            type="button"
            class="primary"
            disabled={doing.isBusy}
            onClick={() => post('accept', content === candidate.content ? {} : { content })}
          >
            {T.memory.accept}
          </button>
          <button type="button" disabled={doing.isBusy} onClick={() => post('reject', {})}>
            {T.memory.reject}
          </button>
        </span>
      ) : null}
    </li>
  );
}

function Item({ item, done }: { readonly item: MemoryItem; readonly done: () => void }): JSX.Element {
  const doing = useDoing();
  const origin = ORIGIN_WORDS[item.origin];
  return (
    <li class="row still">
      <span class="row-main">
        <span class="row-title wrap">{oneLine(item.content)}</span>
        <span class="row-note">
          {item.number} · {item.kind} {item.tags.map((tag) => `#${oneLine(tag)} `)}
          {origin === '' ? null : <span class={item.origin === 'output' ? 's-warn' : ''}>({origin})</span>}{' '}
          <Age at={item.at} />
        </span>
        {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
      </span>
      {may('operate') ? (
        <span class="row-side">
          <DoButton
            doing={doing}
            act={async () => {
              await ask('DELETE', `/v1/memory/items/${item.number}`);
              done();
            }}
          >
            {T.memory.forget}
          </DoButton>
        </span>
      ) : null}
    </li>
  );
}

function Remember({ done }: { readonly done: () => void }): JSX.Element {
  const [content, setContent] = useState('');
  const doing = useDoing();
  return (
    <form
      class="say"
      onSubmit={(event) => {
        event.preventDefault();
        void doing.run(async () => {
          await ask('POST', '/v1/memory/items', { body: { content } });
          setContent('');
          done();
        });
      }}
    >
      <label class="field">
        <span class="unseen">{T.memory.add}</span>
        <textarea
          rows={1}
          placeholder={T.memory.add}
          value={content}
          onInput={({ currentTarget }) => setContent(currentTarget.value)}
        />
      </label>
      <button disabled={doing.isBusy || content.trim() === ''}>{T.add}</button>
      {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
    </form>
  );
}
