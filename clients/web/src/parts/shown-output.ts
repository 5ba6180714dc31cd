import { Store } from '../store.js';

/** The action whose whole output lies over the page. */
export const shownOutput = new Store<string | null>(null);

/** Lays it over the page, which stays as it is below; what goes back in a browser closes it. */
export function showOutput(actionId: string): void {
  history.pushState({ output: actionId }, '');
  addEventListener('popstate', () => shownOutput.set(null), { once: true });
  shownOutput.set(actionId);
}
