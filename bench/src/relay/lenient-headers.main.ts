/**
 * Loaded into @portkey-ai/gateway before it starts. Version 1.15.2 with the newest @hono/node-server of its range changes
 * the headers of a fetched response, which Node 20 refuses ("immutable"), and then answers 500. Here those changes are
 * left out; the rest of what it does is as it is.
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
