import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

export const serverUrl = z.url({ protocol: /^https?$/ });

/** The client's settings from the environment. The token itself is always in a file. */
export const ClientConfig = z.object({
  AISH_URL: serverUrl.optional().describe('Address of the api; default: the one that the launcher wrote'),
  AISH_TOKEN_FILE: z
    .string()
    .optional()
    .describe('File with the bearer token for that address; default: the stored one'),
  AISH_DATA: z.string().optional().describe('Data folder of the launcher; default: $XDG_DATA_HOME/aish'),
  XDG_DATA_HOME: z.string().optional().describe('Default: ~/.local/share'),
  AISH_PROFILE: z.string().optional().describe('Server in the profiles file; default: the file’s default'),
  AISH_PROFILES: z
    .string()
    .optional()
    .describe('File with profiles and keys; default: $XDG_CONFIG_HOME/aish/config.json'),
  XDG_CONFIG_HOME: z.string().optional().describe('Default: ~/.config'),
  XDG_STATE_HOME: z
    .string()
    .optional()
    .describe(
      'Default: ~/.local/state; contains the input history (aish/history) and the last positions (aish/terminals)',
    ),
  AISH_KB: z.string().optional().describe('A clone of the knowledge base that aish kb works on, without a server'),
  PATH: z.string().optional().describe('Folders in which aish finds git'),
  HOME: z.string().optional().describe('Folder in which git finds its settings'),
  SSH_AUTH_SOCK: z.string().optional().describe('Passed to git'),
  NO_COLOR: z.string().optional().describe('If set, aish prints no colors'),
  TERM: z.string().optional().describe('The type of the terminal'),
  VISUAL: z.string().optional().describe('The editor for longer texts'),
  EDITOR: z.string().optional().describe('The editor if VISUAL is not set; default: vi'),
});
export type ClientConfig = z.infer<typeof ClientConfig>;

const stateFolder = (config: ClientConfig): string =>
  join(config.XDG_STATE_HOME ?? join(homedir(), '.local', 'state'), 'aish');

/** Returns the file for the input history of the terminal UI. */
export function historyPath(config: ClientConfig): string {
  return join(stateFolder(config), 'history');
}

/** Returns the folder where each terminal UI stores its person's position. */
export function keptFolder(config: ClientConfig): string {
  return join(stateFolder(config), 'terminals');
}
