import type { EventBody } from '@aish/contracts/events';
import type { Grant } from '@aish/contracts/grants';
import { formatMoment } from './duration.format.js';
import { oneLine } from './sanitise.js';

type Control = Extract<
  EventBody,
  {
    readonly type:
      | 'goal.said'
      | 'goal.edited'
      | 'goal.continued'
      | 'goal.check'
      | 'goal.trust'
      | 'goal.noticed'
      | 'grant.used'
      | 'grant.revoked'
      | 'decision.approved'
      | 'decision.taken_back';
  }
>;

/** Formats a person's change to a goal, or a notice to its model, in one line. */
export function formatControl(body: Control): string {
  switch (body.type) {
    case 'goal.said':
      return `${oneLine(body.by)} to the model: ${oneLine(body.text)}`;
    case 'goal.edited':
      return `new goal by ${oneLine(body.by)}: ${oneLine(body.text)}`;
    case 'goal.continued':
      return `continued by ${oneLine(body.by)} with ${body.steps} more steps${quotedMessage(body.message)}`;
    case 'goal.check':
      return body.verify === null
        ? `check removed by ${oneLine(body.by)}`
        : `check set by ${oneLine(body.by)}: ${oneLine(body.verify)}`;
    case 'goal.trust':
      return body.trust === 'ask'
        ? `aish asks again before destructive actions (set by ${oneLine(body.by)})`
        : `commands whose changes can be undone run without asking (set by ${oneLine(body.by)})`;
    case 'goal.noticed':
      return formatNotice(body.text);
    case 'grant.used':
      return `granted for this ${body.scope} by ${oneLine(body.createdBy)}`;
    case 'grant.revoked':
      return `grant removed by ${oneLine(body.by)}`;
    case 'decision.approved': {
      const { number, by, approvals, needed, waitsUntil } = body;
      const waits = waitsUntil === null ? `${approvals.length} of ${needed}` : `runs at ${formatMoment(waitsUntil)}`;
      return `d${number}: approved by ${oneLine(by)}, ${waits}`;
    }
    case 'decision.taken_back':
      return `d${body.number}: approval withdrawn by ${oneLine(body.by)}`;
  }
}

/** Formats a notice to the model in words for people. */
function formatNotice(text: string): string {
  const given = /^\[aish\] The user has given goal (\d+)/.exec(text)?.[1];
  if (given !== undefined) return `goal ${given} was given from this chat`;
  const [, number, state = ''] = /^\[aish\] Goal (\d+), given in this chat, has ended: (.*)/.exec(text) ?? [];
  if (number === undefined) return oneLine(text.replace(/^\[\w+\] /, '').replaceAll(/^\| /gm, ''));
  // The commands in the notice are only for the model, because people can open the goal.
  const [words = ''] = /(?:\n\| .*)+/.exec(text) ?? [];
  const isFirst = text.indexOf(words) === text.indexOf('\n');
  const end = isFirst && words !== '' ? `: ${words.replaceAll('\n| ', '\n').slice(1)}` : '';
  return oneLine(`goal ${number} has ended: ${state}${end}`);
}

/** Says how often a grant was used, and for which context it is valid. */
export function formatUses({ uses, binding, carried }: Pick<Grant, 'uses' | 'binding' | 'carried'>): string {
  if (binding === null) return 'no longer valid: created by an earlier version';
  return `${timesUsed(uses)}${carried ? ', with the variables of earlier commands' : ''}`;
}

function timesUsed(uses: number): string {
  if (uses === 0) return 'not used yet';
  return uses === 1 ? 'used once' : `used ${uses} times`;
}

function quotedMessage(message: string | null): string {
  return message === null ? '' : `: “${oneLine(message)}”`;
}
