/** Maximum characters of a shell command. */
export const COMMAND_MAX_CHARS = 32_768;

/** Maximum characters of a goal, of an item of memory, and of a message in a chat. */
export const GOAL_TEXT_MAX_CHARS = 20_000;
export const MEMORY_CONTENT_MAX_CHARS = 16_000;
export const MESSAGE_MAX_CHARS = 200_000;
/** Maximum characters of the note that goes with a verdict, and of the answer to a question. */
export const NOTE_MAX_CHARS = 2_000;
export const ANSWER_MAX_CHARS = 4_000;

export const DEFAULT_STEP_BUDGET = 16;
export const STEP_BUDGET_MAX = 256;

/** Maximum number of listed paths that were created, and of those that were changed. */
export const EFFECT_PATHS_MAX = 20;
/** Maximum number of listed deleted paths. It is larger, because nobody can look these paths up afterwards. */
export const DELETED_PATHS_MAX = 200;
