import type { SessionWords } from './address-origin.js';

/**
 * An act in the person's name that may name no receiver:
 * - `move` moves an appointment.
 * - `publish` posts something for everybody.
 * - `review` rates or comments on an article of a shop.
 * - `admit` gives somebody or something access: an account, a token, a forwarded port.
 * - `accept` accepts an invitation, or joins a group.
 */
export type Intent = 'move' | 'publish' | 'review' | 'admit' | 'accept';

interface Signs {
  /** Whether the words of a tool's name show the intent. */
  readonly shows: (is: (word: RegExp) => boolean) => boolean;
  readonly does: string;
  /** The words of a person who may have asked for it. */
  readonly wanted: RegExp;
}

const MAKES = /^(create|add|new|generate|issue|register|make|open|enable|set)$/;

const INTENTS: Readonly<Record<Intent, Signs>> = {
  move: {
    shows: (is) => is(/^(reschedule|postpone|shift)$/),
    does: 'it moves an appointment',
    wanted:
      /calend|kalend|event|appoint|termin|meeting|schedul|remind|agenda|rendez|postpone|move|shift|delay|later|earlier|verschieb/i,
  },
  publish: {
    shows: (is) =>
      is(/^(tweet|toot)$/) ||
      (is(/^(post|publish|announce|broadcast)$/) && is(/^(status|story|feed|timeline|public)$/)),
    does: 'it publishes something in your name',
    wanted: /post|tweet|toot|publi|shar|announc|broadcast|status|blog|social|mastodon|twitter|bluesky|teile/i,
  },
  review: {
    shows: (is) => is(/^(review|rating|rate|comment)$/),
    does: 'it reviews something in your name',
    wanted: /review|\brat(e|ing)|stars?\b|feedback|opinion|comment|bewert|komment/i,
  },
  admit: {
    shows: (is) =>
      (is(MAKES) &&
        (is(/^(users?|accounts?|tokens?|credentials?|apikeys?|webhooks?)$/) ||
          (is(/^(api|access)$/) && is(/^keys?$/)))) ||
      (is(MAKES) && is(/^forward(ing)?$/) && is(/^ports?$/)),
    does: 'it gives access',
    wanted:
      /\b(user|account|tokens?|keys?|credential|access|log ?in|sign|register|member|invit|password|ports?\b|forward|expose|admin|permission|colleague|onboard|webhook)|konto|benutzer|nutzer|zugang|schlüssel/i,
  },
  accept: {
    shows: (is) =>
      is(/^accept$/) || (is(/^join$/) && is(/^(channel|group|team|organi[sz]ation|room|server|workspace|community)$/)),
    does: 'it accepts an invitation in your name',
    wanted: /accept|join|invit|collab|annehm|beitr[ei]t/i,
  },
};

export const isIntent = (way: string): way is Intent => Object.hasOwn(INTENTS, way);

/** Returns the intent that the words of a tool's name show. Pure. */
export function intentOf(is: (word: RegExp) => boolean, candidates: readonly Intent[]): Intent | null {
  return candidates.find((intent) => INTENTS[intent].shows(is)) ?? null;
}

/** Returns the objection to an act that the person did not speak of. Null if they may have asked for it. Pure. */
export function objectionToIntent(intent: Intent, { person }: SessionWords): string | null {
  const { does, wanted } = INTENTS[intent];
  const isAsked = person.some(({ text, isRefusal }) => !isRefusal && wanted.test(text));
  return isAsked ? null : `${does}, and you did not ask for that`;
}
