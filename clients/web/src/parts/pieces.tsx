import {
  entryPieces,
  thought,
  type Body,
  type Output,
  type Piece,
  type Text,
  type Thought,
} from '@aish/views/entry.pieces';
import type { ActionEntry, Entry } from '@aish/views/entries';
import { cleanText, showExact } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { T } from '../texts.js';
import { CopyButton } from './copy-button.js';
import { lazy } from './lazy.js';
import { showOutput } from './shown-output.js';
import { StepUndo } from './undo.js';
import { Spans } from './spans.js';

/** The first screen does not wait for these 42 kB. Until they are loaded, the text is shown without formatting. */
export const Markdown = lazy<{ text: string }>(
  () => import('./markdown.js'),
  ({ text }) => <p class="plain">{cleanText(text)}</p>,
);

/** An entry always renders in the same way, and most entries never change again. */
const drawn = new WeakMap<Entry, JSX.Element>();

export function EntryView({ entry }: { readonly entry: Entry }): JSX.Element {
  const known = drawn.get(entry);
  if (known !== undefined) return known;
  const element = (
    <div class={`entry e-${entry.type}`}>
      {entryPieces(entry).map((piece, index) => (
        <PieceView key={index} piece={piece} />
      ))}
      {entry.type === 'action' ? <StepTools entry={entry} /> : null}
    </div>
  );
  drawn.set(entry, element);
  return element;
}

function StepTools({ entry: { kind, actionId, command, output } }: { readonly entry: ActionEntry }): JSX.Element {
  return (
    <div class="step-tools">
      <CopyButton text={command} what={kind === 'command' ? T.output.command : T.output.call} />
      {output === '' ? null : <CopyButton text={output} what={T.output.copied} />}
      {kind === 'command' ? <StepUndo actionId={actionId} /> : null}
    </div>
  );
}

function PieceView({ piece }: { readonly piece: Piece }): JSX.Element | null {
  switch (piece.as) {
    case 'gap':
      return null; // entries have their own spacing
    case 'text':
      return <TextView piece={piece} />;
    case 'body':
      return <BodyView piece={piece} />;
    case 'thought':
      return <ThoughtView piece={piece} />;
    case 'output':
      return <OutputView piece={piece} />;
  }
}

function TextView({ piece: { spans, depth, role, rail } }: { readonly piece: Text }): JSX.Element {
  const kind = role ?? (rail === undefined ? 'line' : 'rail');
  return (
    <p class={`t t-${kind} d${depth}`}>
      <Spans of={spans} />
    </p>
  );
}

function BodyView({ piece: { parts, isStreaming, thinking } }: { readonly piece: Body }): JSX.Element {
  return (
    <div class="body">
      {parts.map((part, index) => {
        switch (part.kind) {
          case 'exact':
            return (
              <pre key={index} class="exact">
                {showExact(part.text).trimEnd()}
              </pre>
            );
          case 'thought':
            return thought(part.text, isStreaming && part.isOpen, thinking).map((each) => (
              <ThoughtView key={index} piece={each} />
            ));
          case 'markdown':
            return part.text.trim() === '' ? null : <Markdown key={index} text={part.text} />;
        }
      })}
    </div>
  );
}

function ThoughtView({ piece: { text, isOpen, about } }: { readonly piece: Thought }): JSX.Element {
  if (isOpen) return <p class="thought open">{text.split('\n').slice(-3).join('\n')}</p>;
  return (
    <details class="thought">
      <summary>{about}</summary>
      <p class="plain">{text}</p>
    </details>
  );
}

const HEAD = 4;
const TAIL = 8;

function OutputView({ piece: { text, omittedBytes, wholeOf } }: { readonly piece: Output }): JSX.Element {
  const [isWhole, setWhole] = useState(false);
  const lines = text.split('\n');
  const hidden = lines.length - HEAD - TAIL;
  const isFolded = hidden > 1 && !isWhole;
  return (
    <div class="output">
      <pre tabIndex={0}>{isFolded ? lines.slice(0, HEAD).join('\n') : text}</pre>
      {hidden > 1 ? (
        <button class="fold" type="button" onClick={() => setWhole(!isWhole)}>
          {isFolded ? T.goal.unfold(hidden) : T.goal.fold}
        </button>
      ) : null}
      {isFolded ? <pre tabIndex={0}>{lines.slice(-TAIL).join('\n')}</pre> : null}
      {omittedBytes > 0 ? <p class="s-dim">… {T.goal.omitted(omittedBytes)}</p> : null}
      {wholeOf === null ? null : (
        <button class="fold" type="button" onClick={() => showOutput(wholeOf)}>
          {T.output.all}
        </button>
      )}
    </div>
  );
}
