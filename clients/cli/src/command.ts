import type { Connected, ServeEditor } from './context.js';
import type { ExitCode } from '@aish/client/exit-codes';
import type { Io } from '@aish/client/io';

/** The kind of names that the server supplies when the shell completes a word. */
export type Suggests = 'goal' | 'decision' | 'session' | 'file';

/** A positional argument. `V` is the type that `run` receives. */
export interface Positional<V = unknown> {
  readonly shape: 'one' | 'optional' | 'many' | 'any';
  readonly about: string;
  /** Reads one word. @throws InvalidArgumentError of commander, which says which values are valid */
  readonly read: (text: string) => unknown;
  readonly choices?: readonly string[];
  readonly suggests?: Suggests;
  /** This is never set, and only carries the type. */
  readonly value?: V;
}

/** An option of a command. Its key in the table is its long name in camel case. */
export interface Option<V = unknown> {
  /** The short form, such as `-m`. */
  readonly short?: string;
  /** The name of the value in the help. An option without it is a switch. */
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
  /** An option that was not given is undefined. `json` applies only to commands that have it. */
  readonly options: ValuesOf<O> & { readonly json: boolean };
  readonly io: Io;
  /** The client for the server that options, environment and profile select. */
  readonly connect: () => Connected;
  readonly serveEditor: ServeEditor;
  /** Sets the exit code of the process, if it is not 0. */
  readonly exit: (code: ExitCode) => void;
}

/** A command in the table. Help and completion are generated from it. */
export interface CommandSpec<A extends Positionals = Positionals, O extends Options = Options> {
  /** A name such as `goals`, or `safety check` in a group. */
  readonly name: string;
  /** Other names for the command. */
  readonly short?: readonly string[];
  readonly about: string;
  /** The arguments, in the order in which people type them. */
  readonly args?: A;
  readonly options?: O;
  /** The description of the output of `--json`. A command without it has no `--json`. */
  readonly json?: string;
  /** At least one example. Each is a complete command line. */
  readonly examples: readonly [string, ...string[]];
  /** The meanings of exit codes that differ from `aish help scripts`. */
  readonly exits?: Readonly<Record<number, string>>;
  /** Whether unknown options count as words. This is for commands that take a command as argument. */
  readonly takesAnyOption?: boolean;
  readonly isHidden?: boolean;
  readonly run: (call: Call<A, O>) => Promise<void> | void;
}

/** A command for callers to which the types of its arguments do not matter. */
export type AnyCommand = Omit<CommandSpec, 'run'> & {
  readonly run: (call: Call<Positionals, Options>) => Promise<void> | void;
};

/** The implementation of a command whose words are in the table of `@aish/views`. */
export type Behaviour = Omit<AnyCommand, 'name' | 'about' | 'short'>;

type Nothing = Readonly<Record<string, never>>;

/** Declares a command together with its words. */
export function command<const A extends Positionals = Nothing, const O extends Options = Nothing>(
  spec: CommandSpec<A, O>,
): AnyCommand {
  // Commander parsed these values with the `read` functions of the same tables, so the cast is safe.
  return { ...spec, run: (call) => spec.run(call as unknown as Call<A, O>) };
}

/** Declares a command whose name and description are in the table of `@aish/views`. */
export function behaviour<const A extends Positionals = Nothing, const O extends Options = Nothing>(
  spec: Omit<CommandSpec<A, O>, 'name' | 'about' | 'short'>,
): Behaviour {
  return { ...spec, run: (call) => spec.run(call as unknown as Call<A, O>) };
}

const asIs = (text: string): string => text;
type Extra = Pick<Positional, 'choices' | 'suggests'>;

/** Declares a required argument. */
export function one(about: string): Positional<string>;
export function one<T>(about: string, read: (text: string) => T, extra?: Extra): Positional<T>;
export function one(about: string, read: (text: string) => unknown = asIs, extra: Extra = {}): Positional {
  return { shape: 'one', about, read, ...extra };
}

/** Declares an optional argument. */
export function maybe(about: string, extra?: Extra): Positional<string | undefined>;
export function maybe<T>(
  about: string,
  extra: Extra & { readonly read: (text: string) => T },
): Positional<T | undefined>;
export function maybe(about: string, extra: Extra & Partial<Pick<Positional, 'read'>> = {}): Positional {
  return { shape: 'optional', about, read: asIs, ...extra };
}

/** Declares one or more arguments. */
export function many(about: string, extra: Extra = {}): Positional<readonly string[]> {
  return { shape: 'many', about, read: asIs, ...extra };
}

/** Declares any number of arguments, including none. */
export function any(about: string, extra: Extra = {}): Positional<readonly string[]> {
  return { shape: 'any', about, read: asIs, ...extra };
}

/** Declares an argument with a fixed set of values. */
export function oneOf<const C extends readonly string[]>(about: string, choices: C): Positional<C[number]> {
  return { shape: 'one', about, read: asIs, choices };
}

/** Declares an option such as `--watch`. */
export function flag(about: string, short?: string): Option<true | undefined> {
  return { about, read: asIs, ...(short === undefined ? {} : { short }) };
}

interface MoreOfOption {
  readonly short?: string;
  readonly suggests?: Suggests;
}

/** Declares an option such as `--steps <n>`. */
export function option(takes: string, about: string, more?: MoreOfOption): Option<string | undefined>;
export function option<T>(
  takes: string,
  about: string,
  more: MoreOfOption & { readonly read: (text: string) => T },
): Option<T | undefined>;
export function option(takes: string, about: string, more: Partial<Option> = {}): Option {
  return { takes, about, read: asIs, ...more };
}

/** Declares an option such as `--state <state>`, with a fixed set of values. */
export function choice<const C extends readonly string[]>(
  takes: string,
  about: string,
  choices: C,
): Option<C[number] | undefined> {
  return { takes, about, read: asIs, choices };
}

/** Declares an option that can be repeated, such as `--file a --file b`. */
export function repeated(takes: string, about: string, short?: string): Option<readonly string[] | undefined> {
  return { takes, about, read: asIs, isRepeatable: true, ...(short === undefined ? {} : { short }) };
}

/** Returns the name of an option: `maxSteps` becomes `--max-steps`. */
export function optionName(key: string): string {
  return `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
