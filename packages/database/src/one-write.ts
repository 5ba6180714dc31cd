import type { ClientBase } from 'pg';
import type { Writable } from 'node:stream';

const held = new WeakSet<Writable>();

/**
 * Has all that is asked on a connection before Node waits for the network again go out in one write: statements of many
 * requests that came together cost one call of the operating system and not one each.
 */
export function inOneWrite(client: ClientBase): void {
  // The types of pg leave out what carries a connection.
  const { stream } = (client as ClientBase & { readonly connection: { readonly stream: Writable } }).connection;
  if (held.has(stream)) return;
  held.add(stream);
  stream.cork();
  setImmediate(() => {
    held.delete(stream);
    stream.uncork();
  });
}
