import * as z from 'zod';

/** What a project is called: its memory has this name, and what goals and chats of it may reach. */
export const SpaceName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/, 'letters, digits and _ . -, 63 at most, a letter or digit first');
export type SpaceName = z.infer<typeof SpaceName>;

/** The space for everything that names no space. */
export const DEFAULT_SPACE = 'general';
