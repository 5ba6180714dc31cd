import { candidatesApi, memoryApi } from '@aish/contracts/endpoints/memory';
import { MEMORY_CONTENT_MAX_CHARS } from '@aish/contracts/limits';
import type { MemoryCandidate, MemoryItem } from '@aish/contracts/memory';
import { NOT_SAID, ORIGIN_WORDS, flagLines } from '@aish/views/memory.format';
import { oneLine } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { call } from '../api.js';
import { draftOf, keepDraft, useDraft } from '../drafts.js';
import { DoButton } from '../parts/do-button.js';
import { Age, Card, Nothing, Screen, may } from '../parts/frame.js';
import { Loaded, Trouble, useDoing, useResource, type Resource } from '../parts/resource.js';
import { TextBox } from '../parts/text-box.js';
import { SearchBox } from '../parts/search-box.js';
import { Spans } from '../parts/spans.js';
import { T } from '../texts.js';

export default function Memory(): JSX.Element {
  const [words, setWords] = useState('');
  const all = useResource(memoryApi.list, words === '' ? { query: { limit: 100 } } : null);
  const hits = useResource(memoryApi.search, words === '' ? null : { query: { limit: 50, q: words } });
  const items: Resource<{ readonly items: readonly MemoryItem[] }> = words === '' ? all : hits;
  const candidates = useResource(candidatesApi.list, {}, true);
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
  const name = `candidate ${candidate.number}`;
  const [content, setContent] = useState(() => draftOf(name) || candidate.content);
  const write = (text: string): void => {
    setContent(text);
    keepDraft(name, text === candidate.content ? '' : text);
  };
  const doing = useDoing();
  const params = { number: candidate.number };
  const run = (work: () => Promise<unknown>): void =>
    void doing.run(async () => {
      await work();
      keepDraft(name, '');
      done();
    });
  return (
    <li class="row still">
      <span class="row-main">
        <TextBox
          limit={MEMORY_CONTENT_MAX_CHARS}
          rows={2}
          aria-label={`${candidate.kind} ${candidate.number}`}
          value={content}
          readOnly={!may('operate')}
          write={write}
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
            disabled={doing.isBusy || content.length > MEMORY_CONTENT_MAX_CHARS}
            onClick={() =>
              run(() => call(candidatesApi.accept, { params, body: content === candidate.content ? {} : { content } }))
            }
          >
            {T.memory.accept}
          </button>
          <button
            type="button"
            disabled={doing.isBusy}
            onClick={() => run(() => call(candidatesApi.reject, { params }))}
          >
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
              await call(memoryApi.forget, { params: { number: item.number } });
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
  const [content, setContent] = useDraft('remember');
  const box = useRef<HTMLTextAreaElement>(null);
  const doing = useDoing();
  return (
    <form
      class="say"
      onSubmit={(event) => {
        event.preventDefault();
        void doing.run(async () => {
          await call(memoryApi.add, { body: { content } });
          setContent('');
          box.current?.focus();
          done();
        });
      }}
    >
      <label class="field">
        <span class="unseen">{T.memory.add}</span>
        <TextBox
          limit={MEMORY_CONTENT_MAX_CHARS}
          box={box}
          rows={1}
          placeholder={T.memory.add}
          value={content}
          write={setContent}
        />
      </label>
      <button disabled={doing.isBusy || content.trim() === '' || content.length > MEMORY_CONTENT_MAX_CHARS}>
        {T.add}
      </button>
      {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
    </form>
  );
}
