import type { z } from 'zod';
import type { ProblemCode } from './problems.js';
import type { Scope } from './tokens.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The type of a body or an answer that is not JSON: its media type, or the list of allowed types. */
type MediaTypes = string | readonly string[];

/**
 * One route of the api. The server, the clients, the OpenAPI document and docs/api.md all read this declaration, so a
 * route is described only once.
 */
export interface Declaration {
  /** The scope that a token needs. */
  readonly scope: Scope | 'any token' | 'nothing';
  /** A description of the route in one line. */
  readonly summary: string;
  /** Schemas of the `:names` in the path. */
  readonly params?: Readonly<Record<string, z.ZodType>>;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType | MediaTypes;
  /** The response; if it is absent, the response has no body. */
  readonly answer?: z.ZodType | MediaTypes;
  /** The errors of this route, beyond those that any route can answer with (ANY_ROUTE). */
  readonly problems?: readonly ProblemCode[];
  /** The status of a successful response. Default: 200 with a body, 204 without. */
  readonly status?: number;
  /** Further statuses outside 2xx that come with a normal response. */
  readonly alsoFine?: readonly number[];
  /** How long a client waits for the whole response, in milliseconds, if longer than the default. */
  readonly timeoutMs?: number;
}

export interface Endpoint extends Declaration {
  readonly method: Method;
  /** The path, with parameters as `:name`. */
  readonly path: string;
}

type Outputs<Shape> = { readonly [Name in keyof Shape]: Shape[Name] extends z.ZodType ? z.output<Shape[Name]> : never };
type Inputs<Shape> = {
  readonly [Name in keyof Shape]: Shape[Name] extends z.ZodType ? OrNumber<z.input<Shape[Name]>> : never;
};
/** A parameter in a path may also be given as a number. */
type OrNumber<T> = string extends T ? T | number : T;

/** The parsed parameters, query and body of a request, as a handler gets them. */
export type Received<E extends Declaration> = {
  readonly params: E extends { params: infer Shape } ? Outputs<Shape> : undefined;
  readonly query: E extends { query: infer S extends z.ZodType } ? z.output<S> : undefined;
  readonly body: E extends { body: infer S extends z.ZodType } ? z.output<S> : undefined;
};

type SentParams<E> = E extends { params: infer Shape } ? { readonly params: Inputs<Shape> } : unknown;
type SentQuery<E> = E extends { query: infer S extends z.ZodType } ? { readonly query?: Loose<z.input<S>> } : unknown;
type SentBody<E> = E extends { body: infer S }
  ? S extends z.ZodType
    ? { readonly body: z.input<S> }
    : { readonly body: ReadableStream<Uint8Array> }
  : unknown;
/** Undefined fields are not sent. If a query field accepts the words true and false, a boolean is accepted too. */
type Loose<T> = T extends object ? { readonly [Name in keyof T]: T[Name] | OrBoolean<T[Name]> | undefined } : T;
type OrBoolean<T> = 'true' extends T ? boolean : never;

/** The parameters, query and body that a client sends. */
export type Sent<E extends Declaration> = SentParams<E> & SentQuery<E> & SentBody<E>;

/** The content of a successful response; void if it has no body or is not JSON. */
export type Answer<E extends Declaration> = E extends { answer: infer S extends z.ZodType } ? z.output<S> : void;

/** Declares a route: `endpoint('GET /v1/schedules', { … })`. */
export function endpoint<const D extends Declaration>(route: `${Method} /${string}`, declaration: D): D & Endpoint {
  const [method, path] = route.split(' ') as [Method, string];
  return { ...declaration, method, path };
}

/** Returns the path with its parameters filled in, followed by the query. */
export function urlOf<const E extends Endpoint>({ path }: E, sent: Sent<E>): string {
  const given = sent as { readonly params?: unknown; readonly query?: unknown };
  const params = (given.params ?? {}) as Readonly<Record<string, string | number>>;
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries((given.query ?? {}) as Readonly<Record<string, unknown>>)) {
    for (const each of Array.isArray(value) ? value : [value]) if (each !== undefined) query.append(name, String(each));
  }
  return query.size === 0 ? filled : `${filled}?${query.toString()}`;
}
