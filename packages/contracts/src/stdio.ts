import * as z from 'zod';
import { RunLimits } from './images.js';
import { NetworkPolicy } from './network.js';
import { RunSecret } from './secrets.js';

/** Maximum characters of a line that a program writes to stdout. A longer line ends the program. */
export const STDIO_LINE_MAX_CHARS = 8 * 1024 * 1024;

/** The first message for a program that is used over stdin and stdout. The program runs as long as the connection. */
export const StdioRequest = z.strictObject({
  id: z.uuid(),
  /** The name of the program's persistent volume, mounted at /workspace. */
  name: z
    .string()
    .regex(/^[a-z0-9]+([_-][a-z0-9]+)*$/)
    .max(32),
  command: z.array(z.string().min(1).max(4_096)).min(1).max(64),
  /** The image that contains the program; null for the default image of commands. */
  image: z.string().min(1).max(255).nullable(),
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string().max(8_192)),
  limits: RunLimits,
  /** Destinations that the program may reach over HTTP and HTTPS while it runs. */
  network: NetworkPolicy,
  secrets: z.array(RunSecret).max(50),
});
export type StdioRequest = z.infer<typeof StdioRequest>;

/** Later messages: lines for the program's stdin, without their line break. */
export const StdioInput = z.strictObject({ type: z.literal('line'), text: z.string().max(STDIO_LINE_MAX_CHARS) });
export type StdioInput = z.infer<typeof StdioInput>;

/**
 * The messages from the program: one `started`, then lines of stdout and pieces of stderr, and finally one `exit` or
 * `error` (a problem document).
 */
export const StdioFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('started') }),
  z.object({ type: z.literal('line'), text: z.string() }),
  z.object({ type: z.literal('stderr'), text: z.string() }),
  z.object({ type: z.literal('exit'), exitCode: z.int().nullable(), outOfMemory: z.boolean() }),
  z.object({ type: z.literal('error'), problem: z.looseObject({ code: z.string(), detail: z.string().optional() }) }),
]);
export type StdioFrame = z.infer<typeof StdioFrame>;
