/**
 * This module is loaded into @portkey-ai/gateway before it starts. Version 1.15.2 with the newest matching
 * @hono/node-server changes the headers of a fetched response. Node 20 refuses that ("immutable"), so the gateway would
 * return 500. This module skips those changes, and leaves everything else as it is.
 */
export const CHANGES = ['append', 'set', 'delete'] as const;

for (const name of CHANGES) {
  const original: (...args: string[]) => void = Headers.prototype[name];
  const lenient = function (this: Headers, ...args: string[]): void {
    try {
      original.apply(this, args);
    } catch (error) {
      if (!(error instanceof TypeError) || error.message !== 'immutable') throw error;
    }
  };
  Object.defineProperty(Headers.prototype, name, { value: lenient });
}
