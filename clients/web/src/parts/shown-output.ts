import { Store } from '../store.js';

/** The action whose complete output is shown over the page. */
export const shownOutput = new Store<string | null>(null);

/** Shows an output over the page, which stays unchanged below it. The browser's Back closes the output. */
export function showOutput(actionId: string): void {
  history.pushState({ output: actionId }, '');
  addEventListener('popstate', () => shownOutput.set(null), { once: true });
  shownOutput.set(actionId);
}
