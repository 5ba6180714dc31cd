/** The views, in the order of the tabs. */
export const VIEWS = [
  { id: 'chat', title: 'Chat' },
  { id: 'goals', title: 'Goals' },
  { id: 'decisions', title: 'Decisions' },
  { id: 'memory', title: 'Memory' },
  { id: 'knowledge', title: 'Knowledge' },
  { id: 'sessions', title: 'Sessions' },
  { id: 'help', title: 'Help' },
] as const;

export type ViewId = (typeof VIEWS)[number]['id'];

/** A view with a list from the server and one detail. */
export type PaneId = 'memory' | 'knowledge' | 'sessions';

export function isPane(view: ViewId): view is PaneId {
  return view === 'memory' || view === 'knowledge' || view === 'sessions';
}

export function neighbourOf(view: ViewId, by: 1 | -1): ViewId {
  const at = VIEWS.findIndex(({ id }) => id === view);
  return VIEWS[(at + by + VIEWS.length) % VIEWS.length]?.id ?? 'chat';
}
