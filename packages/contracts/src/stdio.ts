import * as z from 'zod';
import { RunLimits } from './images.js';
import { NetworkPolicy } from './network.js';
import { RunSecret } from './secrets.js';

/** Longest line of a program run over stdin and stdout, characters. A longer one ends it. */
export const STDIO_LINE_MAX_CHARS = 8 * 1024 * 1024;

/** A program that is spoken to over stdin and stdout for as long as the connection lasts; the first message of it. */
export const StdioRequest = z.strictObject({
  id: z.uuid(),
  /** Names the volume that is kept for it, mounted at /workspace. */
  name: z
    .string()
    .regex(/^[a-z0-9]+([_-][a-z0-9]+)*$/)
    .max(32),
  command: z.array(z.string().min(1).max(4_096)).min(1).max(64),
  /** Null takes the image that commands run in. */
  image: z.string().min(1).max(255).nullable(),
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string().max(8_192)),
  limits: RunLimits,
  /** What it reaches over HTTP and HTTPS, for as long as it runs. */
  network: NetworkPolicy,
  secrets: z.array(RunSecret).max(50),
});
export type StdioRequest = z.infer<typeof StdioRequest>;

/** What the other side says afterwards: lines for the program's stdin, without their line break. */
export const StdioInput = z.strictObject({ type: z.literal('line'), text: z.string().max(STDIO_LINE_MAX_CHARS) });
export type StdioInput = z.infer<typeof StdioInput>;

/** One `started`, then lines of stdout and pieces of stderr, and last one `exit` or `error` (a problem document). */
export const StdioFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('started') }),
  z.object({ type: z.literal('line'), text: z.string() }),
  z.object({ type: z.literal('stderr'), text: z.string() }),
  z.object({ type: z.literal('exit'), exitCode: z.int().nullable(), outOfMemory: z.boolean() }),
  z.object({ type: z.literal('error'), problem: z.looseObject({ code: z.string(), detail: z.string().optional() }) }),
]);
export type StdioFrame = z.infer<typeof StdioFrame>;
