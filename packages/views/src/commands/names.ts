import {
  DecisionReference,
  EventReference,
  EventRuleReference,
  GoalReference,
  ScheduleReference,
  SessionReference,
} from '@aish/contracts/goals';
import type { z } from 'zod';

/** A kind of thing that a command can name. */
export interface Named {
  readonly about: string;
  /** A sample name for examples. */
  readonly sample: string;
  readonly schema?: z.ZodType<string>;
  /** The kind of names that completion asks the server for. */
  readonly suggests?: 'goal' | 'decision' | 'session';
}

/** The words in `takes`, with the kind of thing that each names. */
export const NAMES: Readonly<Record<string, Named>> = {
  goal: { about: 'a goal: g4, 4 or its UUID', sample: 'g4', schema: GoalReference, suggests: 'goal' },
  chat: { about: 'a chat: c12, 12 or its UUID', sample: 'c12', schema: SessionReference, suggests: 'session' },
  decision: {
    about: 'a decision: d17, 17 or its UUID',
    sample: 'd17',
    schema: DecisionReference,
    suggests: 'decision',
  },
  schedule: { about: 'a schedule: s2, 2 or its UUID', sample: 's2', schema: ScheduleReference },
  event: { about: 'an event: e4, 4 or its UUID', sample: 'e4', schema: EventReference },
  rule: { about: 'a rule: r2, 2 or its UUID', sample: 'r2', schema: EventRuleReference },
  source: { about: 'the name of an event source', sample: 'alerts' },
  space: { about: 'the name of a space', sample: 'media' },
  host: { about: 'the name of a host', sample: 'nas' },
  image: { about: 'the name of an image', sample: 'media' },
  secret: { about: 'the name of a secret', sample: 'GRAFANA_TOKEN' },
  server: { about: 'the alias of an MCP server', sample: 'every' },
  token: { about: 'the name or the ID of a token', sample: 'phone' },
  number: { about: 'the number of an item', sample: '3' },
  scope: { about: 'whose document: user, space or app', sample: 'user' },
  content: { about: 'the text', sample: '"Grafana is on port 3001"' },
};
