import type { Connected, ServeEditor } from './context.js';
import type { ExitCode } from '@aish/client/exit-codes';
import type { Io } from '@aish/client/io';

/** What the server is asked for when the shell completes a word. */
export type Suggests = 'goal' | 'decision' | 'session' | 'file';

/** A word of a command. `V` is what `run` gets for it. */
export interface Positional<V = unknown> {
  readonly shape: 'one' | 'optional' | 'many' | 'any';
  readonly about: string;
  /** Reads one word. @throws InvalidArgumentError of commander with what would be right. */
  readonly read: (text: string) => unknown;
  readonly choices?: readonly string[];
  readonly suggests?: Suggests;
  /** Never there: it carries the type. */
  readonly value?: V;
}

/** An option of a command; its key in the table is its long name in camel case. */
export interface Option<V = unknown> {
  /** `-m`, if it has a short form. */
  readonly short?: string;
  /** Name of its value in the help; without it the option is a switch. */
  readonly takes?: string;
  readonly about: string;
  readonly read: (text: string) => unknown;
  readonly choices?: readonly string[];
  readonly isRepeatable?: boolean;
  readonly suggests?: Suggests;
  readonly value?: V;
}

export type Positionals = Readonly<Record<string, Positional>>;
export type Options = Readonly<Record<string, Option>>;
type ValuesOf<T> = { readonly [K in keyof T]: T[K] extends { readonly value?: infer V } ? V : never };

/** One use of a command. */
interface Call<A, O> {
  readonly args: ValuesOf<A>;
  /** An option that was not given is undefined; `json` only counts for commands that have it. */
  readonly options: ValuesOf<O> & { readonly json: boolean };
  readonly io: Io;
  /** The client for the server that options, environment and profile name. */
  readonly connect: () => Connected;
  readonly serveEditor: ServeEditor;
  /** What the process ends with, if not 0. */
  readonly exit: (code: ExitCode) => void;
}

/** A command as the table has it: help and completion are made of this. */
export interface CommandSpec<A extends Positionals = Positionals, O extends Options = Options> {
  /** `goals`, or in a group `safety check`. */
  readonly name: string;
  /** Other spellings of it. */
  readonly short?: readonly string[];
  readonly about: string;
  /** In the order in which they are written. */
  readonly args?: A;
  readonly options?: O;
  /** What `--json` prints; without it the command has no `--json`. */
  readonly json?: string;
  /** At least one, each a whole line as it would be typed. */
  readonly examples: readonly [string, ...string[]];
  /** What its exit codes mean where that is not what `aish help scripts` says. */
  readonly exits?: Readonly<Record<number, string>>;
  /** Options that it does not know are words, for commands that are told commands. */
  readonly takesAnyOption?: boolean;
  readonly isHidden?: boolean;
  readonly run: (call: Call<A, O>) => Promise<void> | void;
}

/** A command whose types are its own business. */
export type AnyCommand = Omit<CommandSpec, 'run'> & {
  readonly run: (call: Call<Positionals, Options>) => Promise<void> | void;
};

/** What carries out a command whose words are in the table of `@aish/views`. */
export type Behaviour = Omit<AnyCommand, 'name' | 'about' | 'short'>;

type Nothing = Readonly<Record<string, never>>;

/** Declares a command with its words. */
export function command<const A extends Positionals = Nothing, const O extends Options = Nothing>(
  spec: CommandSpec<A, O>,
): AnyCommand {
  // What commander has read by `read` of these very tables has these types.
  return { ...spec, run: (call) => spec.run(call as unknown as Call<A, O>) };
}

/** The same for a command of the table: its name and what it does are there. */
export function behaviour<const A extends Positionals = Nothing, const O extends Options = Nothing>(
  spec: Omit<CommandSpec<A, O>, 'name' | 'about' | 'short'>,
): Behaviour {
  return { ...spec, run: (call) => spec.run(call as unknown as Call<A, O>) };
}

const asIs = (text: string): string => text;
type Extra = Pick<Positional, 'choices' | 'suggests'>;

/** A word that must be there. */
export function one(about: string): Positional<string>;
export function one<T>(about: string, read: (text: string) => T, extra?: Extra): Positional<T>;
export function one(about: string, read: (text: string) => unknown = asIs, extra: Extra = {}): Positional {
  return { shape: 'one', about, read, ...extra };
}

/** A word that may be left out. */
export function maybe(about: string, extra?: Extra): Positional<string | undefined>;
export function maybe<T>(
  about: string,
  extra: Extra & { readonly read: (text: string) => T },
): Positional<T | undefined>;
export function maybe(about: string, extra: Extra & Partial<Pick<Positional, 'read'>> = {}): Positional {
  return { shape: 'optional', about, read: asIs, ...extra };
}

/** One word or more. */
export function many(about: string, extra: Extra = {}): Positional<readonly string[]> {
  return { shape: 'many', about, read: asIs, ...extra };
}

/** Any number of words, none too. */
export function any(about: string, extra: Extra = {}): Positional<readonly string[]> {
  return { shape: 'any', about, read: asIs, ...extra };
}

/** One of some words. */
export function oneOf<const C extends readonly string[]>(about: string, choices: C): Positional<C[number]> {
  return { shape: 'one', about, read: asIs, choices };
}

/** `--watch` */
export function flag(about: string, short?: string): Option<true | undefined> {
  return { about, read: asIs, ...(short === undefined ? {} : { short }) };
}

interface MoreOfOption {
  readonly short?: string;
  readonly suggests?: Suggests;
}

/** `--steps <n>` */
export function option(takes: string, about: string, more?: MoreOfOption): Option<string | undefined>;
export function option<T>(
  takes: string,
  about: string,
  more: MoreOfOption & { readonly read: (text: string) => T },
): Option<T | undefined>;
export function option(takes: string, about: string, more: Partial<Option> = {}): Option {
  return { takes, about, read: asIs, ...more };
}

/** `--state <state>`, one of some words. */
export function choice<const C extends readonly string[]>(
  takes: string,
  about: string,
  choices: C,
): Option<C[number] | undefined> {
  return { takes, about, read: asIs, choices };
}

/** `--file a --file b` */
export function repeated(takes: string, about: string, short?: string): Option<readonly string[] | undefined> {
  return { takes, about, read: asIs, isRepeatable: true, ...(short === undefined ? {} : { short }) };
}

/** `maxSteps` -> `--max-steps` */
export function optionName(key: string): string {
  return `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
