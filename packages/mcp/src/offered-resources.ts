import { isAishError } from '@aish/contracts/problems';
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type McpServer,
  type Resource,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Caller } from './offered-tools.js';
import { withProtocolErrors } from './protocol-error.js';

/** Number of resources per page of a list. */
export const RESOURCE_PAGE = 50;
const MORE_MAX_CHARS = 300;

/** Resources of one kind, with addresses like `aish://KIND/NAME`. */
export interface OfferedResources {
  readonly kind: string;
  /** The name of the parameter NAME in the template. */
  readonly parameter: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  /** The scope that a token needs to see and read them. If it is a list, one of the scopes is enough. */
  readonly needs: string | readonly string[];
  /**
   * Lists at most `limit` resources after this name, or from the first. If absent, the resources cannot be listed.
   *
   * @throws AishError
   */
  list?(after: string | null, limit: number, caller: Caller): Promise<readonly ResourceEntry[]>;
  /**
   * Returns the text of a resource.
   *
   * @throws AishError `not_found`
   */
  read(name: string, caller: Caller): Promise<string>;
}

export interface ResourceEntry {
  readonly name: string;
  readonly title: string;
  readonly description?: string;
}

/** Serves the resources that this caller may read, and nothing else. */
export function serveResources(
  { server }: McpServer,
  all: readonly OfferedResources[],
  caller: Caller,
  onError: (error: unknown) => void,
): void {
  const offered = all.filter((each) => caller.mayUse(each));
  const listed = offered.filter((each) => each.list !== undefined);
  server.registerCapabilities({ resources: {} });
  server.setRequestHandler('resources/list', async ({ params }) =>
    withProtocolErrors(onError, () => page(listed, params?.cursor, caller)),
  );
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: offered.map(({ kind, parameter, title, description, mimeType }) => ({
      name: kind,
      title,
      uriTemplate: `aish://${kind}/{${parameter}}`,
      description,
      mimeType,
    })),
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }) =>
    withProtocolErrors(onError, async () => {
      const named = nameIn(uri);
      const found = offered.find(({ kind }) => kind === named?.kind);
      if (named === null || found === undefined) throw new ResourceNotFoundError(uri);
      try {
        return { contents: [{ uri, mimeType: found.mimeType, text: await found.read(named.name, caller) }] };
      } catch (error) {
        throw isAishError(error, 'not_found') ? new ResourceNotFoundError(uri) : error;
      }
    }),
  );
}

/**
 * Returns a page of resources, one kind after another. A page ends with its kind, so that no page contains two kinds.
 */
async function page(listed: readonly OfferedResources[], cursor: string | undefined, caller: Caller) {
  const from = cursor === undefined ? { kind: listed[0]?.kind ?? '', after: null } : cursorIn(cursor);
  const at = listed.findIndex(({ kind }) => kind === from.kind);
  const kind = listed[at];
  if (kind === undefined) {
    if (cursor === undefined) return { resources: [] };
    throw wrongCursor();
  }
  const entries = (await kind.list?.(from.after, RESOURCE_PAGE, caller)) ?? [];
  const resources = entries.map(({ name, title, description }): Resource => ({
    uri: `aish://${kind.kind}/${encodeURIComponent(name)}`,
    name,
    title,
    mimeType: kind.mimeType,
    ...(description === undefined ? {} : { description: description.slice(0, MORE_MAX_CHARS) }),
  }));
  const last = entries.at(-1)?.name;
  const next =
    entries.length >= RESOURCE_PAGE && last !== undefined
      ? { kind: kind.kind, after: last }
      : { kind: listed[at + 1]?.kind, after: null };
  return { resources, ...(next.kind === undefined ? {} : { nextCursor: cursorOf(next) }) };
}

const Cursor = z.strictObject({ kind: z.string(), after: z.string().max(200).nullable() });

function cursorOf(next: object): string {
  return Buffer.from(JSON.stringify(next)).toString('base64url');
}

function cursorIn(cursor: string): z.infer<typeof Cursor> {
  try {
    return Cursor.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch {
    throw wrongCursor();
  }
}

function wrongCursor(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'This server did not issue this cursor');
}

function nameIn(uri: string): { readonly kind: string; readonly name: string } | null {
  const [, kind, name] = /^aish:\/\/([a-z]+)\/([^/?#]+)$/.exec(uri) ?? [];
  if (kind === undefined || name === undefined) return null;
  try {
    return { kind, name: decodeURIComponent(name) };
  } catch {
    return null;
  }
}
