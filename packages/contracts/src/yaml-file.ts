import { LineCounter, isNode, parseDocument } from 'yaml';
import type { z } from 'zod';
import { AishError } from './problems.js';

/** A file that was read, and the line of each value. */
export interface ReadFile<T> {
  readonly value: T;
  /** Returns the line of the value at a path, or of the nearest value around it. Lines start at 1. */
  readonly lineOf: (path: readonly PropertyKey[]) => number;
}

/**
 * Reads a YAML file with a schema. An empty file is an empty map.
 *
 * @throws AishError `invalid_body`, which names the file, the line and the value. `unchanged` says what stays as it was.
 */
export function readYaml<T>(name: string, text: string, schema: z.ZodType<T>, unchanged: string): ReadFile<T> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const wrong = (line: number, message: string): AishError =>
    new AishError('invalid_body', `${name}, line ${line}: ${message}. ${unchanged}`);
  const [broken] = document.errors;
  if (broken !== undefined) throw wrong(lines.linePos(broken.pos[0]).line, broken.message);
  let values: unknown;
  try {
    values = document.toJS({ maxAliasCount: 20 });
  } catch (error) {
    throw wrong(1, error instanceof Error ? error.message : 'it cannot be read');
  }
  const lineOf = (path: readonly PropertyKey[]): number => {
    for (let length = path.length; length >= 0; length -= 1) {
      const node: unknown = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
      if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
    }
    return 1;
  };
  const read = schema.safeParse(values ?? {});
  if (read.success) return { value: read.data, lineOf };
  const [issue] = read.error.issues;
  const path = issue?.path ?? [];
  const place = issue?.code === 'unrecognized_keys' ? [...path, ...issue.keys.slice(0, 1)] : path;
  throw wrong(lineOf(place), `${path.join('.') || 'the file'}: ${issue?.message ?? 'wrong'}`);
}
