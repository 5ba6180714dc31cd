import { path } from './arguments.js';
import type { Rule } from './rule.js';

/** Cmdlets are named Verb-Noun, and the verb is one of a list. */
const VERBS =
  /^(Remove|Clear|Stop|Restart|Format|Set|Disable|Uninstall|Move|Rename|Reset|Suspend|Unregister|Revoke|Initialize|Dismount|Disconnect|Deny|Block|Undo|Restore|Update|Repair|Optimize|Resize|Switch|Unpublish|Merge|Out)-\w+$/i;
const HARMLESS_NOUNS =
  /^(Set-(Location|Variable|StrictMode|Alias|PSReadLineOption|PSDebug)|Clear-(Host|Variable)|Update-(Help|FormatData|TypeData)|Out-(Host|Null|String|Default|GridView)|Format-(Table|List|Wide|Custom|Hex))$/i;

export const WINDOWS: readonly Rule[] = [
  {
    id: 'windows.cmdlet',
    title: 'removes, stops or overwrites something in Windows',
    why: 'what a cmdlet of this verb touches is not as it was before',
    severity: 'high',
    matches: (c) => VERBS.test(c.name) && !HARMLESS_NOUNS.test(c.name) && c.name !== c.name.toLowerCase(),
    stops: ['Clear-Content x', 'Set-Content a b', 'Move-Item a b'],
    passes: ['Get-ChildItem', 'Set-Location x', 'Format-Table', 'Stop-Service x -WhatIf', 'New-Item x'],
  },
  {
    id: 'windows.tool',
    title: 'deletes or overwrites with a tool of Windows',
    why: 'what it deletes does not go to the recycle bin',
    severity: 'high',
    tools: [
      'wmic',
      'wsl',
      'wsl.exe',
      'xcopy',
      'copy',
      'vssadmin',
      'wbadmin',
      'diskpart',
      'bcdedit',
      'schtasks',
      'dism',
      'sfc',
      'chkdsk',
      'powercfg',
      'ren',
    ],
    matches: (c) => {
      const words = c.args.join(' ');
      switch (c.name) {
        case 'wmic':
          return /\b(delete|call terminate|call (stop|delete|uninstall)\w*)\b/i.test(words);
        case 'wsl':
        case 'wsl.exe':
          return /^--(unregister|shutdown|terminate|uninstall|set-\S+|import-in-place)\b|^-t\b/.test(words);
        case 'copy':
        case 'xcopy':
          return /\/y\b/i.test(words);
        case 'vssadmin':
        case 'wbadmin':
          return /^(delete|resize|revert|disable|stop)\b/i.test(path(c));
        case 'diskpart':
          return words !== '';
        case 'bcdedit':
          return /^\/(set|delete|deletevalue|import|default|timeout|bootsequence|displayorder)/i.test(words);
        case 'schtasks':
          return /\/(delete|end|change)\b/i.test(words);
        case 'dism':
          return /\/(remove|disable|cleanup|apply|startcomponentcleanup|resetbase)/i.test(words);
        case 'sfc':
          return /\/scannow|\/scanfile/i.test(words);
        case 'chkdsk':
          return /\/(f|r|x|b)\b/i.test(words);
        case 'powercfg':
          return /[/-](delete|change|set\w*|h|hibernate|restoredefaultschemes)\b/i.test(words);
        default:
          return c.args.length > 1;
      }
    },
    stops: ["wmic process where name='x' delete", 'wsl --unregister Debian', 'copy /y a b', 'chkdsk d: /f'],
    passes: ['wmic os get caption', 'wsl -l -v', 'copy a b', 'vssadmin list shadows', 'chkdsk d:'],
  },
];
