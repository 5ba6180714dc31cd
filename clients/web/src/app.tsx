import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isOnline, who } from './api.js';
import { listenToKeys, overlay } from './keys.js';
import { goLive } from './live/live.js';
import { keptVerdicts, refusedVerdict, sendKeptVerdicts } from './offline.js';
import { may, Screen } from './parts/frame.js';
import { KeptVerdictLine } from './parts/kept-verdict.js';
import { lazy } from './parts/lazy.js';
import { Trouble, useResource } from './parts/resource.js';
import { shownOutput } from './parts/shown-output.js';
import { hrefTo, useRoute } from './route.js';
import { rememberScroll, restoreScroll } from './scroll-memory.js';
import { GiveGoal } from './screens/give-goal.js';
import { Goals } from './screens/goals.js';
import { SignIn } from './screens/sign-in.js';
import { useStore } from './store.js';
import { T } from './texts.js';

const wait = (): JSX.Element => <p class="s-dim loading">{T.loading}</p>;
const GoalScreen = lazy<{ reference: string }>(() => import('./screens/goal.js'), wait);
const Decisions = lazy<{ only: string | undefined }>(() => import('./screens/decisions.js'), wait);
const Chats = lazy<object>(() => import('./screens/chats.js'), wait);
const Chat = lazy<{ reference: string }>(
  () => import('./screens/chats.js').then(({ Chat: it }) => ({ default: it })),
  wait,
);
const Palette = lazy<object>(
  () => import('./screens/palette.js'),
  () => null,
);
const OutputPager = lazy<{ actionId: string }>(
  () => import('./screens/output.js'),
  () => null,
);
const Knowledge = lazy<{ id: string | undefined }>(() => import('./screens/knowledge.js'), wait);

const SIMPLE = {
  sessions: lazy<object>(() => import('./screens/sessions.js'), wait),
  memory: lazy<object>(() => import('./screens/memory.js'), wait),
  schedules: lazy<object>(() => import('./screens/schedules.js'), wait),
  events: lazy<object>(() => import('./screens/events.js'), wait),
  lab: lazy<object>(() => import('./screens/lab.js'), wait),
  hosts: lazy<object>(() => import('./screens/hosts.js'), wait),
  spaces: lazy<object>(() => import('./screens/spaces.js'), wait),
  secrets: lazy<object>(() => import('./screens/secrets.js'), wait),
  mcp: lazy<object>(() => import('./screens/mcp.js'), wait),
  models: lazy<object>(() => import('./screens/models.js'), wait),
  audit: lazy<object>(() => import('./screens/audit.js'), wait),
  doctor: lazy<object>(() => import('./screens/doctor.js'), wait),
  settings: lazy<object>(() => import('./screens/settings.js'), wait),
};

type Part = keyof typeof SIMPLE | 'goals' | 'chats' | 'decisions' | 'knowledge';
const FIRST: readonly Part[] = ['goals', 'decisions', 'chats'];
const OTHERS: readonly Part[] = [
  'sessions',
  'memory',
  'knowledge',
  'schedules',
  'events',
  'lab',
  'hosts',
  'spaces',
  'secrets',
  'mcp',
  'models',
];
const ADMINS: readonly Part[] = ['audit', 'doctor'];
const SIGNS: Readonly<Record<Part, string>> = {
  goals: '◎',
  decisions: '■',
  chats: '›',
  sessions: '≡',
  memory: '✶',
  knowledge: '❖',
  schedules: '◷',
  events: '⚑',
  lab: '⚗',
  hosts: '▤',
  spaces: '▢',
  secrets: '✱',
  mcp: '⌬',
  models: '◈',
  audit: '☰',
  doctor: '✚',
  settings: '⚙',
};

export function App(): JSX.Element | null {
  const session = useStore(who);
  if (session === undefined) return null;
  return session === null ? <SignIn /> : <SignedIn />;
}

function SignedIn(): JSX.Element {
  const words = useRoute();
  const online = useStore(isOnline);
  const kept = useStore(keptVerdicts);
  const refused = useStore(refusedVerdict);
  const output = useStore(shownOutput);
  const open = useStore(overlay);
  const decisions = useResource(decisionsApi.list, {}, true);
  const count = decisions.data?.items.length ?? 0;
  const main = useRef<HTMLElement>(null);
  const [isFirst, setFirst] = useState(true);
  useEffect(goLive, []);
  useEffect(rememberScroll, []);
  useEffect(listenToKeys, []);
  const place = words.join('/');
  useEffect(() => {
    document.title = `${count > 0 ? `(${count}) ` : ''}${titleOf(words)} · ${T.app}`;
  }, [count, place]);
  useEffect(() => {
    if (online && kept.length > 0) void sendKeptVerdicts().then(decisions.reload);
  }, [online, kept.length]);
  useEffect(() => {
    const stop = restoreScroll();
    if (isFirst) setFirst(false);
    else main.current?.focus({ preventScroll: true });
    return stop;
  }, [place]);
  return (
    <div class="shell">
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        {T.skipToMain}
      </a>
      <p class="unseen" role="status">
        {count === 0 ? '' : T.decision.waits(count)}
      </p>
      <Nav at={words[0] ?? 'goals'} decisions={count} />
      <main ref={main} id="main" tabIndex={-1}>
        {online ? null : (
          <div class="offline" role="status">
            <p>{T.offline}</p>
            {kept.length === 0 ? null : <p>{T.decision.waitsToSend}</p>}
            {kept.map((each) => (
              <KeptVerdictLine key={each.decision.id} kept={each} />
            ))}
          </div>
        )}
        {refused === null ? null : (
          <Trouble>
            {T.decision.refused(refused)}{' '}
            <button type="button" class="quiet" onClick={() => refusedVerdict.set(null)}>
              {T.close}
            </button>
          </Trouble>
        )}
        <Place words={words} />
      </main>
      {open === null ? null : <Palette />}
      {output === null ? null : <OutputPager actionId={output} />}
    </div>
  );
}

/** Returns the title of a tab: its part, and the number in the address. */
function titleOf([part = 'goals', reference]: readonly string[]): string {
  const name = part === 'give' ? T.goals.give : (T.nav[part as Part] as string | undefined);
  return [name ?? T.noPage, reference].filter((word) => word !== undefined).join(' ');
}

function Place({ words: [part = 'goals', reference] }: { readonly words: readonly string[] }): JSX.Element {
  if (part === 'goals')
    return reference === undefined ? <Goals /> : <GoalScreen key={reference} reference={reference} />;
  if (part === 'give') return <GiveGoal />;
  if (part === 'chats') return reference === undefined ? <Chats /> : <Chat key={reference} reference={reference} />;
  if (part === 'decisions') return <Decisions only={reference} />;
  if (part === 'knowledge') return <Knowledge key={reference} id={reference} />;
  if (part === 'more') return <More />;
  const Simple = SIMPLE[part as keyof typeof SIMPLE] as (typeof SIMPLE)['memory'] | undefined;
  return Simple === undefined ? <NoPage /> : <Simple />;
}

function NoPage(): JSX.Element {
  return (
    <Screen title={T.noPage}>
      <a class="button" href={hrefTo('goals')}>
        {T.nav.goals}
      </a>
    </Screen>
  );
}

function NavLink({ part, at, children }: { part: Part; at: string; children?: ComponentChildren }): JSX.Element {
  return (
    <li>
      <a href={hrefTo(part)} aria-current={part === at || (part === 'goals' && at === 'give') ? 'page' : undefined}>
        <span class="sign" aria-hidden="true">
          {SIGNS[part]}
        </span>
        <span>{T.nav[part]}</span>
        {children}
      </a>
    </li>
  );
}

function allOthers(): readonly Part[] {
  return [...OTHERS, ...(may('admin') ? ADMINS : []), 'settings'];
}

function Nav({ at, decisions }: { readonly at: string; readonly decisions: number }): JSX.Element {
  const badge =
    decisions === 0 ? null : (
      <span class="badge">
        <span aria-hidden="true">{decisions}</span>
        <span class="unseen">{T.decision.waits(decisions)}</span>
      </span>
    );
  const isOther = !FIRST.some((part) => part === at) && at !== 'give';
  return (
    <nav aria-label={T.nav.label}>
      <p class="logo">
        <span class="brand" aria-hidden="true">
          ›
        </span>{' '}
        {T.app}
      </p>
      <button type="button" class="quiet find only-desk" onClick={() => overlay.set('palette')}>
        {T.palette.title} <kbd aria-hidden="true">/</kbd>
      </button>
      <ul>
        {FIRST.map((part) => (
          <NavLink key={part} part={part} at={at}>
            {part === 'decisions' ? badge : null}
          </NavLink>
        ))}
        <li class="only-phone">
          <a href={hrefTo('more')} aria-current={isOther ? 'page' : undefined}>
            <span class="sign" aria-hidden="true">
              ⋯
            </span>
            <span>{T.nav.more}</span>
          </a>
        </li>
      </ul>
      <ul class="only-desk">
        {allOthers().map((part) => (
          <NavLink key={part} part={part} at={at} />
        ))}
      </ul>
    </nav>
  );
}

/** Shows everything that does not fit into the bar of a phone. */
function More(): JSX.Element {
  return (
    <>
      <header class="screen-head">
        <h1>{T.nav.more}</h1>
      </header>
      <button type="button" onClick={() => overlay.set('palette')}>
        {T.palette.title}
      </button>
      <ul class="more">
        {allOthers().map((part) => (
          <NavLink key={part} part={part} at="more" />
        ))}
      </ul>
    </>
  );
}
