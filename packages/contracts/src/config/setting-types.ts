import * as z from 'zod';

export const port = z.coerce.number().int().min(0).max(65_535);
export const milliseconds = z.coerce.number().int().min(1);
export const logLevel = z
  .enum(['trace', 'debug', 'info', 'warn', 'error'])
  .default('info')
  .describe('How much is logged');
