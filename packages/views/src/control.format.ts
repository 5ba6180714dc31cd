import type { EventBody } from '@aish/contracts/events';
import type { Grant } from '@aish/contracts/grants';
import { formatMoment } from './duration.format.js';
import { oneLine } from './sanitise.js';

type Control = Extract<
  EventBody,
  {
    readonly type:
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

/** What a person did to a goal, or aish told its model, in one line. */
export function formatControl(body: Control): string {
  switch (body.type) {
    case 'goal.edited':
      return `the goal is now, says ${oneLine(body.by)}: ${oneLine(body.text)}`;
    case 'goal.continued':
      return `continued by ${oneLine(body.by)} with ${body.steps} more steps${said(body.message)}`;
    case 'goal.check':
      return body.verify === null
        ? `no check any more, says ${oneLine(body.by)}`
        : `proved by, says ${oneLine(body.by)}: ${oneLine(body.verify)}`;
    case 'goal.trust':
      return body.trust === 'ask'
        ? `it asks again before it destroys, says ${oneLine(body.by)}`
        : `what can be taken back runs without a question, says ${oneLine(body.by)}`;
    case 'goal.noticed':
      return formatNotice(body.text);
    case 'grant.used':
      return `granted for this ${body.scope} by ${oneLine(body.createdBy)}`;
    case 'grant.revoked':
      return `grant taken back by ${oneLine(body.by)}`;
    case 'decision.approved': {
      const { number, by, approvals, needed, waitsUntil } = body;
      const waits = waitsUntil === null ? `${approvals.length} of ${needed}` : `runs at ${formatMoment(waitsUntil)}`;
      return `d-${number}: let through by ${oneLine(by)}, ${waits}`;
    }
    case 'decision.taken_back':
      return `d-${body.number}: that it may run was taken back by ${oneLine(body.by)}`;
  }
}

/** What aish told the model, as people read it. */
function formatNotice(text: string): string {
  const given = /^\[aish\] The user has given goal (\d+)/.exec(text)?.[1];
  if (given !== undefined) return `goal ${given} was given from this chat`;
  const [, number, state = ''] = /^\[aish\] Goal (\d+), given in this chat, has ended: (.*)/.exec(text) ?? [];
  if (number === undefined) return oneLine(text.replace(/^\[\w+\] /, '').replaceAll(/^\| /gm, ''));
  // What it had run, too, is for the model: people open the goal.
  const [words = ''] = /(?:\n\| .*)+/.exec(text) ?? [];
  const isFirst = text.indexOf(words) === text.indexOf('\n');
  const end = isFirst && words !== '' ? `: ${words.replaceAll('\n| ', '\n').slice(1)}` : '';
  return oneLine(`goal ${number} has ended: ${state}${end}`);
}

/** How often a grant let something run, and what is to be known of how. */
export function formatUses({ uses, binding, carried }: Pick<Grant, 'uses' | 'binding' | 'carried'>): string {
  if (binding === null) return 'covers nothing: it is of an earlier version';
  return `${timesUsed(uses)}${carried ? ', with the variables of earlier commands' : ''}`;
}

function timesUsed(uses: number): string {
  if (uses === 0) return 'not used yet';
  return uses === 1 ? 'used once' : `used ${uses} times`;
}

function said(message: string | null): string {
  return message === null ? '' : `: “${oneLine(message)}”`;
}
