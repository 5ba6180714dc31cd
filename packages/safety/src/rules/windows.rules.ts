import type { Command } from '../shell/command.js';
import type { TableRule } from './program.js';
import type { Rule } from './rule.js';
import { table } from './table.js';

/** Cmdlets are named Verb-Noun, and the verb is one of a list. */
const VERBS =
  /^(Remove|Clear|Stop|Restart|Format|Set|Disable|Uninstall|Move|Rename|Reset|Suspend|Unregister|Revoke|Initialize|Dismount|Disconnect|Deny|Block|Undo|Restore|Update|Repair|Optimize|Resize|Switch|Unpublish|Merge|Out)-\w+$/i;
const HARMLESS_NOUNS =
  /^(Set-(Location|Variable|StrictMode|Alias|PSReadLineOption|PSDebug)|Clear-(Host|Variable)|Update-(Help|FormatData|TypeData)|Out-(Host|Null|String|Default|GridView)|Format-(Table|List|Wide|Custom|Hex))$/i;

const CMDLETS: readonly Rule[] = [
  {
    id: 'windows.cmdlet',
    title: 'removes, stops or overwrites something in Windows',
    why: 'what a cmdlet of this verb touches is not as it was before',
    severity: 'high',
    matches: (c) => VERBS.test(c.name) && !HARMLESS_NOUNS.test(c.name) && c.name !== c.name.toLowerCase(),
    stops: ['Clear-Content x', 'Set-Content a b', 'Move-Item a b'],
    passes: ['Get-ChildItem', 'Set-Location x', 'Format-Table', 'Stop-Service x -WhatIf', 'New-Item x'],
  },
];

export const WINDOWS_TOOLS = table`
rule    windows.tool  high  deletes or overwrites with a tool of Windows
why     what it deletes does not go to the recycle bin

program wmic   odd ${callsOrDeletes}  the case of its words does not matter   stops wmic process where name='x' delete   passes wmic os get caption
program wsl wsl.exe   loses --unregister|--shutdown|--terminate|--uninstall|--set-*|--import-in-place|-t   stops wsl --unregister Debian   passes wsl -l -v
program copy xcopy   odd ${overwrites}  its options begin with a slash   stops copy /y a b   passes copy a b
program schtasks   odd ${endsTask}  its options begin with a slash   stops schtasks /delete /tn x   passes schtasks /query
program dism   odd ${removesFeature}  its options begin with a slash, and the case does not matter   stops dism /online /disable-feature x   passes dism /online /get-features
program sfc   odd ${repairs}  its options begin with a slash   stops sfc /scannow   passes sfc /verifyonly
program chkdsk   odd ${repairs}  its options begin with a slash   stops chkdsk d: /f   passes chkdsk d:
program powercfg   odd ${setsPower}  its options begin with a slash or a dash   stops powercfg /hibernate off   passes powercfg /list
program ren   loses * *   stops ren a b   passes ren
`;

export const WINDOWS: readonly (Rule | TableRule)[] = [...CMDLETS, ...WINDOWS_TOOLS];

const says = (c: Command, words: RegExp): boolean => words.test(c.args.join(' '));

function callsOrDeletes(c: Command): boolean {
  return says(c, /\b(delete|call terminate|call (stop|delete|uninstall)\w*)\b/i);
}

function overwrites(c: Command): boolean {
  return says(c, /\/y\b/i);
}

function endsTask(c: Command): boolean {
  return says(c, /\/(delete|end|change)\b/i);
}

function removesFeature(c: Command): boolean {
  return says(c, /\/(remove|disable|cleanup|apply|startcomponentcleanup|resetbase)/i);
}

function repairs(c: Command): boolean {
  return says(c, c.name === 'sfc' ? /\/scannow|\/scanfile/i : /\/(f|r|x|b)\b/i);
}

function setsPower(c: Command): boolean {
  return says(c, /[/-](delete|change|set\w*|h|hibernate|restoredefaultschemes)\b/i);
}
