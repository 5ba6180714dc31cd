import type { Answer, Endpoint } from '@aish/contracts/endpoint';
import type { Line } from '../line.js';

/** A group of `aish --help`. */
export type Topic = 'work' | 'knowledge' | 'automation' | 'access' | 'admin';

/** A command in words: help, completion, the terminal's `:commands` and docs/commands.md are made of this. */
export interface CommandWords {
  /** What it does: a verb in the imperative, at most 60 characters. */
  readonly about: string;
  /** What follows its name: `<goal> [words...]`. A word that NAMES has is read as the name of such a thing. */
  readonly takes?: string;
  /** Other spellings that stay, the one for every day first. */
  readonly short?: readonly string[];
}

/** A command that calls one endpoint and shows the answer. */
export interface EndpointCall<A = unknown> {
  readonly endpoint: Endpoint;
  /** Fields of its query or body that are options, and what each is for; the schema says what they take. */
  readonly options: Readonly<Record<string, string>>;
  /** Words and options whose field has another name. */
  readonly fields: Readonly<Record<string, string>>;
  /** Fields that are always sent. */
  readonly always: Readonly<Record<string, string | number | boolean>>;
  /** For stdout. */
  lines?(answer: A): readonly Line[];
  /** For stderr, beside the lines; null: nothing. */
  note?(answer: A): string | null;
  /** Lines are cut at the width of a terminal. */
  readonly isFitted: boolean;
  /** Exit code 1. */
  fails?(answer: A): boolean;
  readonly failing?: string;
  /** What `--json` prints. */
  readonly json: string;
  /** Beside the one that is made of what it takes. */
  readonly examples: readonly string[];
}

export interface Command extends CommandWords {
  /** `host list`, `event source add`, `show` */
  readonly name: string;
  readonly topic: Topic;
  /** What carries it out; null: a file of the client that has it. */
  readonly call: EndpointCall | null;
}

type Verb = CommandWords & { readonly call: EndpointCall | null };
type Spec<A> = CommandWords & Partial<Omit<EndpointCall<A>, 'endpoint'>>;

/** A verb that calls an endpoint. */
export function verb<const E extends Endpoint>(endpoint: E, spec: Spec<Answer<E>>): Verb {
  const { about, takes, short, ...call } = spec;
  const usual = { options: {}, fields: {}, always: {}, isFitted: false, json: 'print the answer', examples: [] };
  const made: EndpointCall<Answer<E>> = { ...usual, ...call, endpoint };
  return { ...words(about, takes, ...(short ?? [])), call: made };
}

/** A verb that the client carries out itself. */
export function words(about: string, takes?: string, ...short: readonly string[]): Verb {
  return { about, call: null, ...(takes === undefined ? {} : { takes }), ...(short.length === 0 ? {} : { short }) };
}

/** The verbs of a resource; `''` for those that name the thing by their first word, as in `show g4`. */
export function resource(name: string, topic: Topic, verbs: Readonly<Record<string, Verb>>): readonly Command[] {
  return Object.entries(verbs).map(([each, more]) => ({ name: `${name} ${each}`.trim(), topic, ...more }));
}
