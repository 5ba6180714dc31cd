/** Characters of a shell command. */
export const COMMAND_MAX_CHARS = 32_768;
