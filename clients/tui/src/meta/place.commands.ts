import type { MetaCommand } from './meta-command.js';

/** Where commands run, and this program itself. */
export const PLACE_COMMANDS: readonly MetaCommand[] = [
  {
    name: 'files',
    takes: '[path]',
    does: 'the files of this session’s workspace',
    aish: ['files', 'ls'],
    needsSession: true,
  },
  {
    name: 'undo',
    takes: '[<decision>]',
    does: 'take back what a decision let through, without one the newest of the goal (asks first)',
    here: 'undo',
  },
  {
    name: 'snapshots',
    does: 'what :undo can take back in this session',
    aish: ['snapshots'],
    needsSession: true,
  },
  {
    name: 'sandbox',
    does: 'where the commands of this session run, and what they reach',
    aish: ['sandbox', 'show'],
    needsSession: true,
  },
  {
    name: 'network',
    takes: '<goal or chat> <hosts|none>',
    does: 'what its commands may reach, as wiki.example.org:443 (an admin says it)',
    aish: ['sandbox', 'network'],
    isBareWrong: true,
    offers: 'goals',
  },
  {
    name: 'sandbox carry-over',
    takes: '<on|off>',
    does: 'whether a command begins where the last one ended',
    aish: ['sandbox', 'carry-over'],
    isBareWrong: true,
    offers: ['on', 'off'],
    needsSession: true,
  },
  {
    name: 'sandbox folders',
    takes: '<names|none>',
    does: 'folders of the host for the commands of this session',
    aish: ['sessions', 'folders'],
    isBareWrong: true,
    needsSession: true,
  },
  { name: 'find', takes: '<text>', does: 'look for a text in what was said', here: 'find' },
  {
    name: 'copy',
    takes: '[answer|code|all]',
    does: 'copy the last answer, its code, or all to the clipboard',
    here: 'copy',
    offers: ['answer', 'code', 'all'],
  },
  { name: 'setup', does: 'begin: a host, a folder, a secret and a first goal, step by step (an admin)', here: 'setup' },
  { name: 'doctor', does: 'look at everything that aish stands on', aish: ['doctor'] },
  { name: 'upgrade', does: 'compare this program and the server, and say what to do', aish: ['upgrade'] },
  { name: 'help', does: 'keys and commands', here: 'help' },
  { name: 'quit', does: 'quit; goals go on without you', here: 'quit' },
];
