/** Characters of a shell command. */
export const COMMAND_MAX_CHARS = 32_768;

export const DEFAULT_STEP_BUDGET = 16;
export const STEP_BUDGET_MAX = 256;

/** The first paths that are listed of what was created, and of what was changed. */
export const EFFECT_PATHS_MAX = 20;
/** The same of what was deleted, which nobody can look up afterwards. */
export const DELETED_PATHS_MAX = 200;
