import { highlight } from '@aish/views/highlight';
import { blocksOf, type Node } from '@aish/views/markdown.blocks';
import { cleanText, oneLine, showExact } from '@aish/views/sanitise';
import type { ComponentChildren, JSX } from 'preact';
import { CopyButton } from './copy-button.js';
import { Spans } from './spans.js';

/** A link may lead to the web or to a mailbox. Anything else (javascript:, data:, file:) stays text. */
const SAFE = /^(https?:\/\/|mailto:)[^\s]+$/i;

/**
 * Renders Markdown of models and people. HTML in it stays text, images are not loaded, and each link shows its address.
 */
export default function Markdown({ text }: { readonly text: string }): JSX.Element {
  const clean = cleanText(text);
  const blocks = blocksOf(clean);
  return blocks === null ? <pre class="plain">{clean}</pre> : <div class="md">{blocks.map(block)}</div>;
}

function block(node: Node, key: number): JSX.Element {
  const { token, children } = node;
  switch (token.type) {
    case 'heading_open':
      // The page has its own headings, so headings in a model's text start one level below them.
      return (
        <p key={key} class="md-heading" role="heading" aria-level={Math.min(6, Number(token.tag.slice(1)) + 2)}>
          {inline(children)}
        </p>
      );
    case 'fence':
    case 'code_block':
      return <Code key={key} code={token.content.replace(/\n$/, '')} info={token.info} />;
    case 'bullet_list_open':
      return <ul key={key}>{children.map(block)}</ul>;
    case 'ordered_list_open':
      return (
        <ol key={key} start={Number(token.attrGet('start') ?? 1)}>
          {children.map(block)}
        </ol>
      );
    case 'list_item_open':
      return <li key={key}>{children.map(block)}</li>;
    case 'blockquote_open':
      return <blockquote key={key}>{children.map(block)}</blockquote>;
    case 'table_open':
      return (
        <div key={key} class="table">
          <table>
            <tbody>{children.flatMap(({ children: rows }) => rows).map(row)}</tbody>
          </table>
        </div>
      );
    case 'hr':
      return <hr key={key} />;
    case 'html_block':
      return (
        <p key={key} class="plain">
          {token.content.trimEnd()}
        </p>
      );
    default:
      return <p key={key}>{inline(children)}</p>;
  }
}

function row({ children }: Node, key: number): JSX.Element {
  return (
    <tr key={key}>
      {children.map((cell, at) =>
        cell.token.type === 'th_open' ? (
          <th key={at} scope="col">
            {inline(cell.children)}
          </th>
        ) : (
          <td key={at}>{inline(cell.children)}</td>
        ),
      )}
    </tr>
  );
}

function Code({ code, info }: { readonly code: string; readonly info: string }): JSX.Element {
  const language = info.trim().split(/[\s{,]/)[0] ?? '';
  return (
    <div class="copied">
      <pre class="code" tabIndex={0}>
        <code>
          <Spans of={highlight(showExact(code), language)} />
        </code>
      </pre>
      <CopyButton text={code} what="code" />
    </div>
  );
}

interface Open {
  readonly type: string;
  readonly href: string;
  readonly content: ComponentChildren[];
}

/** Renders text with emphasis. The function is not recursive, because emphasis can nest to any depth. */
function inline(blocks: readonly Node[]): ComponentChildren {
  const top: Open = { type: '', href: '', content: [] };
  const open: Open[] = [top];
  for (const { token, content } of blocks.flatMap(({ children }) => children)) {
    const now = open.at(-1) ?? top;
    if (token.nesting > 0) open.push({ type: token.type, href: String(token.attrGet('href') ?? ''), content: [] });
    else if (token.nesting < 0) {
      const closed = open.length > 1 ? open.pop() : undefined;
      if (closed !== undefined) (open.at(-1) ?? top).content.push(element(closed));
    } else now.content.push(piece(token.type, content, String(token.attrGet('src') ?? '')));
  }
  return top.content;
}

function element({ type, href, content }: Open): ComponentChildren {
  switch (type) {
    case 'strong_open':
      return <strong>{content}</strong>;
    case 'em_open':
      return <em>{content}</em>;
    case 's_open':
      return <s>{content}</s>;
    case 'link_open':
      return <Link href={href}>{content}</Link>;
    default:
      return content;
  }
}

function Link({ href, children }: { readonly href: string; readonly children: ComponentChildren }): JSX.Element {
  const address = oneLine(href);
  if (!SAFE.test(address))
    return (
      <>
        {children} <span class="s-dim">({address})</span>
      </>
    );
  const isBare = Array.isArray(children) && children.length === 1 && children[0] === address;
  return (
    <>
      <a href={address} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
      {isBare ? null : <span class="s-dim"> ({address})</span>}
    </>
  );
}

function piece(type: string, content: string, src: string): ComponentChildren {
  switch (type) {
    case 'code_inline':
      return <code>{showExact(content)}</code>;
    case 'softbreak':
      return '\n';
    case 'hardbreak':
      return <br />;
    case 'image':
      return <span class="s-dim">{`${content === '' ? 'image' : content} (${oneLine(src)})`}</span>;
    default:
      return content;
  }
}
