import { oneLine } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { takeVerdictBack, type KeptVerdict } from '../offline.js';
import { T } from '../texts.js';

const ACTION_CHARS = 80;

/** Shows a verdict that waits for the connection, and a button to withdraw it. */
export function KeptVerdictLine({ kept }: { readonly kept: KeptVerdict }): JSX.Element {
  const { decision, given } = kept;
  const action = oneLine(given.command ?? decision.action);
  const shown = action.length > ACTION_CHARS ? `${action.slice(0, ACTION_CHARS)}…` : action;
  return (
    <span class="kept">
      <span>
        d{decision.number}: <strong>{given.verdict}</strong> <code>{shown}</code>
      </span>{' '}
      <button type="button" class="quiet" onClick={() => takeVerdictBack(kept)}>
        {T.decision.takeVerdictBack}
      </button>
    </span>
  );
}
