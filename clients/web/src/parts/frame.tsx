import { formatAge } from '@aish/views/duration.format';
import type { Scope } from '@aish/contracts/tokens';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { who } from '../api.js';
import { T } from '../texts.js';

/** Lays out a screen with its heading, its actions and its content. */
export function Screen({
  title,
  tools,
  children,
}: {
  readonly title: ComponentChildren;
  readonly tools?: ComponentChildren;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <>
      <header class="screen-head">
        <h1>{title}</h1>
        <div class="tools">{tools}</div>
      </header>
      {children}
    </>
  );
}

export function Card({
  title,
  children,
}: {
  readonly title?: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <section class="card">
      {title === undefined ? null : <h2>{title}</h2>}
      {children}
    </section>
  );
}

/** Shows the age of a moment, which grows. Hovering shows the moment itself. */
export function Age({ at }: { readonly at: string }): JSX.Element {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {formatAge(at, now)}
    </time>
  );
}

export function Field({
  label,
  help,
  children,
}: {
  readonly label: string;
  readonly help?: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <label class="field">
      <span>{label}</span>
      {children}
      {help === undefined ? null : <small>{help}</small>}
    </label>
  );
}

export function Nothing({ children = T.nothing }: { readonly children?: ComponentChildren }): JSX.Element {
  return <p class="nothing">{children}</p>;
}

const GRANTS: Readonly<Record<Scope, readonly Scope[]>> = {
  admin: ['admin', 'operate', 'observe', 'decide', 'app'],
  operate: ['operate', 'observe'],
  observe: ['observe'],
  decide: ['decide', 'observe'],
  app: ['app'],
};

/**
 * Returns whether the signed-in person may do this. The answer decides only what is shown, because the api checks every
 * request.
 */
export function may(scope: Scope): boolean {
  return who.get()?.scopes.some((each) => GRANTS[each].includes(scope)) ?? false;
}
