import { ACCESS_COMMANDS } from './access.commands.js';
import { ADMIN_COMMANDS } from './admin.commands.js';
import { AUTOMATION_COMMANDS } from './automation.commands.js';
import type { Command, Topic } from './command.js';
import { KNOWLEDGE_COMMANDS } from './knowledge.commands.js';
import { WORK_COMMANDS } from './work.commands.js';

/** Every command of aish, in the order of the help. The command line, the terminal and any palette use this list. */
export const COMMAND_TABLE: readonly Command[] = [
  ...WORK_COMMANDS,
  ...KNOWLEDGE_COMMANDS,
  ...AUTOMATION_COMMANDS,
  ...ACCESS_COMMANDS,
  ...ADMIN_COMMANDS,
];

/** Descriptions of command groups, by their first words. */
export const GROUPS: Readonly<Record<string, string>> = {
  goal: 'List goals; for one goal: aish show g4',
  chat: 'List and fork chats; for one chat: aish show c12',
  decision: 'List pending decisions',
  file: 'List, download and upload files of a workspace',
  grant: 'List, add and remove grants',
  memory: 'Manage what aish remembers between sessions',
  'memory document': 'Manage memory documents (Markdown)',
  kb: 'Search, write and curate the knowledge base',
  schedule: 'Manage goals that start at fixed times',
  runbook: 'Manage and run procedures that goals follow',
  event: 'Manage incoming events and the goals that they start',
  'event source': 'Manage event sources',
  'event rule': 'Manage rules for the goals that events start',
  space: 'Manage what goals and chats of a project may use',
  host: 'Manage machines that commands reach over SSH',
  secret: 'Manage secrets that commands use without seeing them',
  image: 'Manage images that commands of a space run in',
  mcp: 'Manage MCP servers, their tools, resources and prompts',
  messenger: 'Bind your account of Telegram or Matrix',
  safety: 'List and test the rules that stop commands',
  model: 'List model presets',
  token: 'Manage tokens and what they allow',
  config: 'Show and check settings; keep the rest in files',
};

export const TOPICS: Readonly<Record<Topic, string>> = {
  work: 'goals, chats and decisions',
  knowledge: 'memory and the knowledge base',
  automation: 'goals that start on their own',
  access: 'what commands may use',
  admin: 'server, tokens and settings',
};
