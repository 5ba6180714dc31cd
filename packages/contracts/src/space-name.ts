import * as z from 'zod';

/** The name of a project. It identifies the project's memory and the access of its goals and chats. */
export const SpaceName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/,
    'must be at most 63 letters, digits and _ . -, beginning with a letter or digit',
  );
export type SpaceName = z.infer<typeof SpaceName>;

/** The space of everything that does not name one. */
export const DEFAULT_SPACE = 'general';
