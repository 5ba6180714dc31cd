import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

export const serverUrl = z.url({ protocol: /^https?$/ });

/** What the client takes from the environment. The token itself is only ever in a file. */
export const ClientConfig = z.object({
  AISH_URL: serverUrl.optional().describe('Where the api answers; default: what the launcher wrote'),
  AISH_TOKEN_FILE: z
    .string()
    .optional()
    .describe('File with the bearer token for that address; default: the one that was kept for it'),
  AISH_DATA: z.string().optional().describe('Data folder of the launcher; default: $XDG_DATA_HOME/aish'),
  XDG_DATA_HOME: z.string().optional().describe('Default: ~/.local/share'),
  AISH_PROFILE: z.string().optional().describe('Which server of the file of profiles; default: the file’s default'),
  AISH_PROFILES: z
    .string()
    .optional()
    .describe('File of profiles and keys; default: $XDG_CONFIG_HOME/aish/config.json'),
  XDG_CONFIG_HOME: z.string().optional().describe('Default: ~/.config'),
  XDG_STATE_HOME: z
    .string()
    .optional()
    .describe('Default: ~/.local/state; aish/history there has what was typed, aish/terminals where one was'),
  AISH_KB: z.string().optional().describe('A clone of the knowledge base that aish kb works on, without a server'),
  PATH: z.string().optional().describe('Where git is found'),
  HOME: z.string().optional().describe('Where git finds its settings'),
  SSH_AUTH_SOCK: z.string().optional().describe('Given to git'),
  NO_COLOR: z.string().optional().describe('Set to anything: no colours'),
  TERM: z.string().optional().describe('The kind of terminal'),
});
export type ClientConfig = z.infer<typeof ClientConfig>;

const stateFolder = (config: ClientConfig): string =>
  join(config.XDG_STATE_HOME ?? join(homedir(), '.local', 'state'), 'aish');

/** Where the terminal UI keeps what was typed. */
export function historyPath(config: ClientConfig): string {
  return join(stateFolder(config), 'history');
}

/** Where each terminal UI keeps where its person is. */
export function keptFolder(config: ClientConfig): string {
  return join(stateFolder(config), 'terminals');
}
