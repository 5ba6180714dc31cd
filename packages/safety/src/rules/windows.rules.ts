import type { Command } from '../shell/command.js';
import type { TableRule } from './program.js';
import type { Rule } from './rule.js';
import { table } from './table.js';

/** Verbs of cmdlets, which are named Verb-Noun. The verb comes from a fixed list. */
const VERBS =
  /^(Remove|Clear|Stop|Restart|Format|Set|Disable|Uninstall|Move|Rename|Reset|Suspend|Unregister|Revoke|Initialize|Dismount|Disconnect|Deny|Block|Undo|Restore|Update|Repair|Optimize|Resize|Switch|Unpublish|Merge|Out)-\w+$/i;
const HARMLESS_NOUNS =
  /^(Set-(Location|Variable|StrictMode|Alias|PSReadLineOption|PSDebug)|Clear-(Host|Variable)|Update-(Help|FormatData|TypeData)|Out-(Host|Null|String|Default|GridView)|Format-(Table|List|Wide|Custom|Hex))$/i;

const CMDLETS: readonly Rule[] = [
  {
    id: 'windows.cmdlet',
    title: 'removes, stops or overwrites something in Windows',
    why: 'a cmdlet with this verb changes its target',
    severity: 'high',
    matches: (c) => VERBS.test(c.name) && !HARMLESS_NOUNS.test(c.name) && c.name !== c.name.toLowerCase(),
    stops: ['Clear-Content x', 'Set-Content a b', 'Move-Item a b'],
    passes: ['Get-ChildItem', 'Set-Location x', 'Format-Table', 'Stop-Service x -WhatIf', 'New-Item x'],
  },
];

export const WINDOWS_TOOLS = table`
rule    windows.tool  high  deletes or overwrites with a tool of Windows
why     deleted files do not go to the recycle bin

program copy xcopy   odd ${overwrites}  its options begin with a slash   stops copy /y a b   passes copy a b
program dism   odd ${removesFeature}  its options begin with a slash, and the case does not matter   stops dism /online /disable-feature x   passes dism /online /get-features
program sfc   odd ${repairs}  its options begin with a slash   stops sfc /scannow   passes sfc /verifyonly
program chkdsk   odd ${repairs}  its options begin with a slash   stops chkdsk d: /f   passes chkdsk d:
program ren   loses * *   stops ren a b   passes ren
`;

export const WINDOWS: readonly (Rule | TableRule)[] = [...CMDLETS, ...WINDOWS_TOOLS];

const says = (c: Command, words: RegExp): boolean => words.test(c.args.join(' '));

function overwrites(c: Command): boolean {
  return says(c, /\/y\b/i);
}

function removesFeature(c: Command): boolean {
  return says(c, /\/(remove|disable|cleanup|apply|startcomponentcleanup|resetbase)/i);
}

function repairs(c: Command): boolean {
  return says(c, c.name === 'sfc' ? /\/scannow|\/scanfile/i : /\/(f|r|x|b)\b/i);
}
