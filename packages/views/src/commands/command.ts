import type { Answer, Endpoint } from '@aish/contracts/endpoint';
import type { Line } from '../line.js';

/** A group of `aish --help`. */
export type Topic = 'work' | 'knowledge' | 'automation' | 'access' | 'admin';

/**
 * The words of a command. Help, completion, the terminal's `:commands` and docs/commands.md are generated from them.
 */
export interface CommandWords {
  /** A description of the command. It starts with an imperative verb and has at most 60 characters. */
  readonly about: string;
  /** The arguments, such as `<goal> [words...]`. A word listed in NAMES is read as the name of a thing. */
  readonly takes?: string;
  /** Other names of the command, the everyday one first. */
  readonly short?: readonly string[];
  /** The screen of the page that does the same; without one, the palette does not offer the command. */
  readonly screen?: string;
}

/** A command that calls one endpoint and shows the response. */
export interface EndpointCall<A = unknown> {
  readonly endpoint: Endpoint;
  /** Fields of the query or body that are options, with their help. The schema says which values they take. */
  readonly options: Readonly<Record<string, string>>;
  /** Arguments and options whose field has a different name. */
  readonly fields: Readonly<Record<string, string>>;
  /** Fields that are always sent. */
  readonly always: Readonly<Record<string, string | number | boolean>>;
  /** Returns the lines for stdout. */
  lines?(answer: A): readonly Line[];
  /** Returns a note for stderr, in addition to the lines; null for none. */
  note?(answer: A): string | null;
  /** Whether lines are cut at the width of a terminal. */
  readonly isFitted: boolean;
  /** Returns whether the exit code is 1. */
  fails?(answer: A): boolean;
  readonly failing?: string;
  /** A description of the output of `--json`. */
  readonly json: string;
  /** Examples in addition to the generated one. */
  readonly examples: readonly string[];
}

export interface Command extends CommandWords {
  /** The full name: `host list`, `event source add`, `show`. */
  readonly name: string;
  readonly topic: Topic;
  /** The endpoint that the command calls; null if a file of the client implements the command. */
  readonly call: EndpointCall | null;
}

type Verb = CommandWords & { readonly call: EndpointCall | null };
type Spec<A> = CommandWords & Partial<Omit<EndpointCall<A>, 'endpoint'>>;

/** A verb that calls an endpoint. */
export function verb<const E extends Endpoint>(endpoint: E, spec: Spec<Answer<E>>): Verb {
  const { about, takes, short, screen, ...call } = spec;
  const usual = {
    options: {},
    fields: {},
    always: {},
    isFitted: false,
    json: 'print the response as JSON',
    examples: [],
  };
  const made: EndpointCall<Answer<E>> = { ...usual, ...call, endpoint };
  return { ...words(about, takes, ...(short ?? [])), call: made, ...(screen === undefined ? {} : { screen }) };
}

/** A verb that the client implements itself. */
export function words(about: string, takes?: string, ...short: readonly string[]): Verb {
  return { about, call: null, ...(takes === undefined ? {} : { takes }), ...(short.length === 0 ? {} : { short }) };
}

/**
 * Declares the verbs of a resource. The name is `''` for verbs whose first argument names the thing, such as `show g4`.
 * @param screen the screen of the page on which people do the same, or null
 */
export function resource(
  name: string,
  topic: Topic,
  screen: string | null,
  verbs: Readonly<Record<string, Verb>>,
): readonly Command[] {
  const usual = screen === null ? {} : { screen };
  return Object.entries(verbs).map(([each, more]) => ({ name: `${name} ${each}`.trim(), topic, ...usual, ...more }));
}
