import { sessionsApi } from '@aish/contracts/endpoints/sessions';
import { knowledgeApi } from '@aish/contracts/endpoints/knowledge';
import { memoryApi } from '@aish/contracts/endpoints/memory';
import { COMMAND_TABLE } from '@aish/views/commands/table';
import { oneLine } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { lettersOn, overlay, setLetters, takeTypedAhead } from '../keys.js';
import { may } from '../parts/frame.js';
import { useResource } from '../parts/resource.js';
import { goTo } from '../route.js';
import { useStore } from '../store.js';
import { T } from '../texts.js';

const PAUSE_MS = 250;
const MIN_CHARS = 2;
const SHOWN_MAX = 40;
const PARTS: Readonly<Record<string, string>> = { g: 'goals', c: 'chats', d: 'decisions' };

interface Found {
  readonly name: string;
  readonly about: string;
  readonly to: readonly (string | number)[];
}

/** Finds anything: a screen, a command, a goal or chat by words or number, memory items and knowledge. */
export default function Palette(): JSX.Element {
  const shown = useStore(overlay);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label={shown === 'keys' ? T.palette.keys : T.palette.title}
      onClose={() => overlay.set(null)}
      onClick={({ target, currentTarget }) => target === currentTarget && currentTarget.close()}
    >
      {shown === 'keys' ? <Keys /> : <Finder />}
      <form method="dialog">
        <button class="quiet">{T.close}</button>
      </form>
    </dialog>
  );
}

function Finder(): JSX.Element {
  const [typed, setTyped] = useState(takeTypedAhead);
  const [words, setWords] = useState('');
  const [at, setAt] = useState(0);
  useEffect(() => {
    const timer = setTimeout(() => setWords(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const q = words.length < MIN_CHARS ? null : words;
  const sessions = useResource(sessionsApi.list, q === null ? null : { query: { q, limit: 10 } });
  const memory = useResource(memoryApi.search, q === null ? null : { query: { q, limit: 5 } });
  const nodes = useResource(knowledgeApi.query, q === null ? null : { query: { text: q, limit: 5 } });
  const found: readonly Found[] = [
    ...named(typed),
    ...commands(typed),
    ...(sessions.data?.items ?? []).map(({ title, number, goalNumber }) => ({
      name: oneLine(title),
      about: goalNumber === null ? `c${number}` : `g${goalNumber}`,
      to: goalNumber === null ? ['chats', number] : ['goals', goalNumber],
    })),
    ...(memory.data?.items ?? []).map(({ content }) => ({
      name: oneLine(content),
      about: T.nav.memory,
      to: ['memory'],
    })),
    ...(nodes.data?.items ?? []).map(({ id, title }) => ({
      name: oneLine(title),
      about: T.nav.knowledge,
      to: ['knowledge', id],
    })),
  ].slice(0, SHOWN_MAX);
  const chosen = Math.min(at, found.length - 1);
  const open = (each: Found | undefined): void => {
    if (each === undefined) return;
    overlay.set(null);
    goTo(...each.to);
  };
  return (
    <>
      <input
        type="text"
        class="search"
        role="combobox"
        aria-label={T.palette.title}
        aria-controls="found"
        aria-expanded={found.length > 0}
        aria-activedescendant={found.length === 0 ? undefined : `found-${chosen}`}
        placeholder={T.palette.help}
        autoFocus
        value={typed}
        onInput={({ currentTarget }) => {
          setTyped(currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') open(found[chosen]);
          else if (event.key === 'ArrowDown') setAt(Math.min(found.length - 1, chosen + 1));
          else if (event.key === 'ArrowUp') setAt(Math.max(0, chosen - 1));
          else return;
          event.preventDefault();
        }}
      />
      <ul id="found" class="rows" role="listbox" aria-label={T.palette.title}>
        {found.map((each, index) => (
          <li
            key={`${index} ${each.name}`}
            id={`found-${index}`}
            class="row"
            role="option"
            aria-selected={index === chosen}
            onClick={() => open(each)}
          >
            <span class="row-main">
              <span class="row-title wrap">{each.name}</span>
            </span>
            <span class="row-side s-dim">{each.about}</span>
          </li>
        ))}
      </ul>
      <p class="s-dim" role="status">
        {found.length === 0 ? T.palette.none : ''}
      </p>
    </>
  );
}

function Keys(): JSX.Element {
  return (
    <>
      <h2>{T.palette.keys}</h2>
      <dl class="facts-list">
        {T.palette.shortcuts.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label class="tick">
        <input
          type="checkbox"
          defaultChecked={lettersOn()}
          onChange={({ currentTarget }) => setLetters(currentTarget.checked)}
        />
        {T.palette.letters}
      </label>
    </>
  );
}

/** Finds a goal, chat or decision by its name: `g4`, `c12`, `d17`. */
function named(typed: string): readonly Found[] {
  const [, letter = '', number] = /^\s*([gcd])-?(\d+)\s*$/.exec(typed) ?? [];
  const part = PARTS[letter];
  if (part === undefined || number === undefined) return [];
  const name = letter === 'd' ? `d${number}` : number;
  return [{ name: `${letter}${number}`, about: T.nav[part as 'goals'], to: [part, name] }];
}

/** Finds screens by name, and commands that a screen replaces. */
function commands(typed: string): readonly Found[] {
  const words = typed
    .toLowerCase()
    .replace(/^(aish |:)/, '')
    .split(/\s+/)
    .filter((word) => word !== '');
  const has = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word));
  const screens = Object.entries(T.nav)
    .filter(([part, name]) => hrefs.has(part) && has(name))
    .map(([part, name]) => ({ name, about: '', to: [part] }));
  if (words.length === 0) return screens;
  const made = COMMAND_TABLE.flatMap(({ name, about, short = [], screen }): Found[] => {
    if (screen === undefined || !has(`${name} ${short.join(' ')} ${about}`)) return [];
    return [{ name: about, about: name, to: [screen] }];
  });
  return [...screens, ...made.filter(({ to: [part] }) => may('admin') || part !== 'audit')];
}
const hrefs = new Set([...COMMAND_TABLE.map(({ screen }) => screen), 'sessions']);
