import { knowledgeApi } from '@aish/contracts/endpoints/knowledge';
import type { KnowledgeLink } from '@aish/contracts/knowledge';
import { cleanText, oneLine } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Age, Card, Nothing, Screen } from '../parts/frame.js';
import { Loaded, useResource } from '../parts/resource.js';
import { SearchBox } from '../parts/search-box.js';
import { hrefTo } from '../route.js';
import { T } from '../texts.js';

export default function Knowledge({ id }: { readonly id: string | undefined }): JSX.Element {
  return id === undefined ? <Search /> : <NodeView id={id} />;
}

function Search(): JSX.Element {
  const [words, setWords] = useState('');
  const hits = useResource(knowledgeApi.query, { query: { limit: 50, text: words } });
  return (
    <Screen title={T.knowledge.title}>
      <SearchBox label={T.knowledge.search} found={setWords} />
      <Loaded of={hits}>
        {({ items }) =>
          items.length === 0 ? (
            <Nothing />
          ) : (
            <Card>
              <ul class="rows">
                {items.map((hit) => (
                  <li key={hit.id}>
                    <a class="row" href={hrefTo('knowledge', hit.id)}>
                      <span class="row-main">
                        <span class="row-title">{oneLine(hit.title)}</span>
                        <span class="row-note">{oneLine(hit.summary)}</span>
                      </span>
                      <span class="row-side s-dim">
                        {hit.status === 'active' ? '' : `${hit.status} · `}
                        {hit.projects.join(' ')} · <Age at={hit.updated} />
                      </span>
                    </a>
                  </li>
                ))}
              </ul>
            </Card>
          )
        }
      </Loaded>
    </Screen>
  );
}

function NodeView({ id }: { readonly id: string }): JSX.Element {
  const node = useResource(knowledgeApi.read, { params: { id } });
  return (
    <Loaded of={node}>
      {(data) => (
        <Screen title={oneLine(data.title)} tools={<a href={hrefTo('knowledge')}>{T.knowledge.title}</a>}>
          <p class="lead">{cleanText(data.summary)}</p>
          <p class="facts s-dim">
            {data.status} · {data.confidence} · {data.visibility} · {data.projects.join(' ')} · {data.tags.join(' ')} ·{' '}
            <Age at={data.updated} />
          </p>
          <Card>
            <pre class="org" tabIndex={0}>
              {cleanText(data.body)}
            </pre>
          </Card>
          <Links title={T.knowledge.links} links={data.links} />
          <Links title={T.knowledge.backlinks} links={data.backlinks} />
          <Graph id={data.id} />
        </Screen>
      )}
    </Loaded>
  );
}

function Links({
  title,
  links,
}: {
  readonly title: string;
  readonly links: readonly KnowledgeLink[];
}): JSX.Element | null {
  if (links.length === 0) return null;
  return (
    <Card title={title}>
      <ul class="plain-list">
        {links.map(({ relation, id, title: name }) => (
          <li key={`${relation} ${id}`}>
            <span class="s-dim">{relation.toLowerCase().replaceAll('_', ' ')}</span>{' '}
            {name === null ? T.knowledge.hidden : <a href={hrefTo('knowledge', id)}>{oneLine(name)}</a>}
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** The graph is drawn as an image, so that no title can run or load anything. */
function Graph({ id }: { readonly id: string }): JSX.Element | null {
  const graph = useResource(knowledgeApi.graph, { query: { format: 'svg', depth: 2, around: id } });
  const svg = graph.data?.text ?? null;
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (svg === null) return;
    const made = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [svg]);
  if (url === null) return null;
  return (
    <Card title={T.knowledge.graph}>
      <div class="graph">
        <img src={url} alt={`${T.knowledge.links}, ${T.knowledge.backlinks}`} />
      </div>
    </Card>
  );
}
