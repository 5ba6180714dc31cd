import { ACCESS_COMMANDS } from './access.commands.js';
import { ADMIN_COMMANDS } from './admin.commands.js';
import { AUTOMATION_COMMANDS } from './automation.commands.js';
import type { Command, Topic } from './command.js';
import { KNOWLEDGE_COMMANDS } from './knowledge.commands.js';
import { WORK_COMMANDS } from './work.commands.js';

/** Every command of aish, in the order of the help. The command line, the terminal and any palette read it. */
export const COMMAND_TABLE: readonly Command[] = [
  ...WORK_COMMANDS,
  ...KNOWLEDGE_COMMANDS,
  ...AUTOMATION_COMMANDS,
  ...ACCESS_COMMANDS,
  ...ADMIN_COMMANDS,
];

/** What the groups of commands are for, by their first words. */
export const GROUPS: Readonly<Record<string, string>> = {
  goal: 'List goals; verbs for one goal stand alone: aish show g4',
  chat: 'List and fork chats; other verbs stand alone: aish show c12',
  decision: 'List what waits for your answer',
  file: 'List, fetch and send files of a workspace',
  grant: 'List, add and remove what runs without asking again',
  memory: 'Manage what aish remembers between sessions',
  'memory document': 'Manage the Markdown documents of memory',
  kb: 'Search, write and curate the knowledge base',
  schedule: 'Manage goals that start at fixed times',
  runbook: 'Manage and run procedures that goals follow',
  event: 'Manage incoming events and the goals that they give',
  'event source': 'Manage who may send events',
  'event rule': 'Manage which goals events give',
  space: 'Manage what goals and chats of a project may use',
  host: 'Manage machines that commands reach over SSH',
  secret: 'Manage secrets that commands use without seeing them',
  image: 'Manage images that commands of a space run in',
  mcp: 'Manage MCP servers, their tools, resources and prompts',
  safety: 'List the rules that stop commands, and try them',
  model: 'List model presets',
  token: 'Manage who may do what',
  config: 'List and check settings',
};

export const TOPICS: Readonly<Record<Topic, string>> = {
  work: 'goals, chats and decisions',
  knowledge: 'memory and the knowledge base',
  automation: 'goals that start by themselves',
  access: 'what commands may use',
  admin: 'the server and you',
};
