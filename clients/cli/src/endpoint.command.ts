import type { Command, EndpointCall } from '@aish/views/commands/command';
import { NAMES } from '@aish/views/commands/names';
import { fit } from '@aish/views/text/fit';
import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { note, writeJson, writeLines } from '@aish/client/io';
import { EXIT } from '@aish/client/exit-codes';
import { any, many, maybe, one, type AnyCommand, type Option, type Positional } from './command.js';
import { wholeNumber } from './whole-number.js';

/** A command that calls one endpoint, generated from its entry in the table. */
export function endpointCommand({ name, about, short = [], takes = '' }: Command, call: EndpointCall): AnyCommand {
  const { endpoint, json, failing } = call;
  const words = wordsOf(takes);
  const params = Object.keys(endpoint.params ?? {});
  const sample = words.filter(({ isNeeded }) => isNeeded).map((word) => NAMES[word.key]?.sample ?? word.key);
  const usual = ['aish', short[0] ?? name, ...sample].join(' ');
  return {
    name,
    about,
    short,
    args: Object.fromEntries(
      words.map((word, at) => [word.key, positionalOf(word, endpoint.params?.[params[at] ?? ''])]),
    ),
    options: Object.fromEntries(
      Object.entries(call.options).map(([key, what]) => [key, optionOf(what, fieldOf(call, call.fields[key] ?? key))]),
    ),
    json,
    examples: [usual, ...call.examples.filter((example) => example !== usual)],
    ...(failing === undefined ? {} : { exits: { 1: failing } }),
    run: async ({ args, options, io, connect, exit }) => {
      const given: Record<string, unknown> = { ...call.always };
      const path: Record<string, unknown> = {};
      for (const [at, { key }] of words.entries()) {
        const word = args[key];
        const value = Array.isArray(word) ? word.join(' ') || undefined : word;
        const param = params[at];
        if (param === undefined) given[call.fields[key] ?? key] = value;
        else path[param] = value;
      }
      for (const key of Object.keys(call.options)) given[call.fields[key] ?? key] = options[key];
      const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
      const kind = shapeOf(endpoint.query) === null ? 'body' : 'query';
      const sent = { params: path, ...(endpoint[kind] === undefined ? {} : { [kind]: fields }) };
      // The server validates the request with the same schema.
      const answer: unknown = await connect().client.call(endpoint, sent, io.signal);
      if (call.fails?.(answer) === true) exit(EXIT.refused);
      if (options.json) return writeJson(io, answer);
      const lines = call.lines?.(answer) ?? [];
      const width = call.isFitted && io.stdout.isTTY === true ? io.stdout.columns : undefined;
      if (lines.length > 0) writeLines(io, width === undefined ? lines : lines.map((each) => fit(each, width)));
      const message = call.note?.(answer) ?? null;
      if (message !== null) note(io, message);
    },
  };
}

interface Word {
  readonly key: string;
  readonly isNeeded: boolean;
  readonly isMany: boolean;
}

/** Parses arguments such as `<goal> [words...]`. */
function wordsOf(takes: string): readonly Word[] {
  return [...takes.matchAll(/([<[])(\w+)(\.\.\.)?/g)].map(([, open, key = '', more]) => ({
    key,
    isNeeded: open === '<',
    isMany: more !== undefined,
  }));
}

function positionalOf({ key, isNeeded, isMany }: Word, param: z.ZodType | undefined): Positional {
  const { about = key, schema = param, suggests } = NAMES[key] ?? {};
  if (isMany) return isNeeded ? many(about) : any(about);
  const choices = choicesOf(schema);
  const extra = { ...(choices === undefined ? {} : { choices }), ...(suggests === undefined ? {} : { suggests }) };
  const read = (text: string): unknown => {
    const parsed = schema?.safeParse(text);
    if (parsed?.success === false) throw new InvalidArgumentError(`It must be ${about}.`);
    return parsed?.data ?? text;
  };
  return isNeeded ? one(about, read, extra) : maybe(about, { read, ...extra });
}

/** Returns the option for a field. The schema of the field decides which value the option takes. */
function optionOf(about: string, field: z.ZodType | undefined): Option {
  const text = (value: string): string => value;
  const choices = choicesOf(field);
  if (field instanceof z.ZodBoolean || choices?.join() === 'true,false') return { about, read: () => true };
  if (choices !== undefined) return { about, takes: 'word', read: text, choices };
  if (field instanceof z.ZodNumber) return { about, takes: 'n', read: wholeNumber };
  if (field instanceof z.ZodArray) return { about, takes: 'text', read: text, isRepeatable: true };
  return { about, takes: 'text', read: text };
}

function fieldOf({ endpoint }: EndpointCall, name: string): z.ZodType | undefined {
  const field = shapeOf(endpoint.query)?.[name] ?? shapeOf(endpoint.body)?.[name];
  return inner(field);
}

function shapeOf(schema: unknown): Readonly<Record<string, unknown>> | null {
  const object = inner(schema);
  return object instanceof z.ZodObject ? object.shape : null;
}

function choicesOf(schema: z.ZodType | undefined): readonly string[] | undefined {
  const plain = inner(schema);
  return plain instanceof z.ZodEnum ? plain.options.map(String) : undefined;
}

/** Removes the wrappers for optional fields and defaults from a schema. */
function inner(schema: unknown): z.ZodType | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) {
    return inner(schema.unwrap());
  }
  if (schema instanceof z.ZodPrefault) return inner(schema.unwrap());
  if (schema instanceof z.ZodPipe) return inner(schema.in);
  return schema instanceof z.ZodType ? schema : undefined;
}
