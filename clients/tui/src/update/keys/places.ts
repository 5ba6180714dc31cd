import type { Place } from '../../model.js';

export const PROMPT: readonly Place[] = ['empty prompt', 'typing'];
export const EDITING: readonly Place[] = ['empty prompt', 'typing', 'HALT edit'];
export const WRITING: readonly Place[] = ['typing', 'HALT edit'];
export const FORM: readonly Place[] = ['HALT edit', 'HALT choice'];
export const MAIN: readonly Place[] = ['empty prompt', 'typing', 'list'];
/** The places from which other views can be opened: all except a search. */
export const ANY_VIEW: readonly Place[] = [
  'empty prompt',
  'typing',
  'list',
  'HALT',
  'HALT edit',
  'HALT choice',
  'HALT grant',
  'grants',
  'menu',
  'question',
  'page',
];
export const IDLE: readonly Place[] = ['empty prompt', 'list'];
export const ALL: readonly Place[] = [...ANY_VIEW, 'search'];
