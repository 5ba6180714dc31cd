import type { Language } from '../shell/command.js';

// Each function and each string below is the source of a regular expression for one way to destroy something. The
// expressions are matched against code in which every string has been replaced by `"n"`.

const CALL = String.raw`\s*\(`;
const oneOf = (verbs: string): string => `(?:${verbs.trim().split(/\s+/).join('|')})`;

/** Matches `receiver.verb(`. Verbs are separated by spaces, and may be regular expressions. */
const on = (receiver: string, verbs: string, then = CALL): string =>
  String.raw`${receiver}\s*\.\s*${oneOf(verbs)}${then}`;
/** Matches `.verb(` on any object. */
const method = (verbs: string, then = CALL): string => String.raw`\.\s*${oneOf(verbs)}${then}`;
/** Matches `verb(`, but not as a method and not as the end of a longer name. */
const alone = (verbs: string, then = CALL): string => String.raw`(?<![\w.])${oneOf(verbs)}${then}`;
/** Matches `$object->verb`, in Perl and PHP. */
const arrow = (verbs: string, then: string): string => `->\\s*${oneOf(verbs)}${then}`;
/** Matches a whole word. */
const word = (verbs: string): string => String.raw`\b${oneOf(verbs)}\b`;

/** The end of verbs of Node's `fs`, which also exist as `unlinkSync`. */
const SYNC = String.raw`(?:Sync)?\s*\(`;

const PYTHON = [
  on(
    String.raw`\b(?:os|shutil|pathlib|path|p|Path\([^)]*\)|[a-z_]\w*)`,
    'rmtree removedirs unlink rmdir ftruncate kill(?:pg)? lchown chown chmod setuid reboot fchmod',
  ),
  on(
    String.raw`\b(?:os|_os|__dict__|vars\s*\([^()]*\)|__import__\s*\([^()]*\))`,
    'remove rename renames replace truncate _exit abort fork setxattr',
  ),
  on(String.raw`\bshutil`, 'move chown'),
  alone('rmtree unlink rmdir removedirs truncate send2trash remove rename'),
  method(String.raw`
    write_text write_bytes truncate drop_table drop_all drop_collection drop_database delete_many delete_one delete_bucket
    terminate_instances delete_object\w* flushall flushdb terminate rename kill prune shutdown drop destroy delete
    force_delete power_?off reboot`),
  on(String.raw`\b(?:requests|httpx|session|client)`, 'delete put patch'),
  String.raw`(?:\bmethod\s*=\s*|\.\s*request\s*\(\s*)"(\d+)"`,
  String.raw`\bO_TRUNC\b`,
  String.raw`\bsignal\s*\.\s*pthread_kill\b`,
  String.raw`\bctypes\b[\s\S]*\b(?:unlink|reboot)\b`,
  String.raw`\bfileinput\b[\s\S]*inplace`,
  String.raw`\.\s*objects\s*\.[\s\S]*\.delete\s*\(`,
  String.raw`getattr\s*\(\s*(?:os|shutil)\b`,
  String.raw`\bfrom\s+(?:os|shutil)\s+import\s+[^\n;]*` +
    word('remove unlink rmdir removedirs rmtree rename replace truncate kill move system popen'),
  on(String.raw`\b(?:os|shutil)`, 'remove unlink rmtree rmdir removedirs', String.raw`\b`),
  on(
    String.raw`\b(?:__import__|import_module)\s*\(\s*"\d+"\s*\)`,
    'remove unlink rmdir rename kill fork truncate rmtree',
  ),
];

const JAVASCRIPT = [
  on(String.raw`\b(?:localStorage|sessionStorage)`, 'clear removeItem'),
  on(String.raw`\bindexedDB`, 'deleteDatabase'),
  on(String.raw`\bforms?\b[^;]*`, 'submit requestSubmit'),
  on(
    String.raw`\b(?:fs|fsp|fsPromises|promises|fse|require\("\d+"\)(?:\.promises)?|Deno|Bun|process)(?:\s*\.\s*promises)?`,
    `unlink rm rmdir rename truncate ftruncate writeFile copyFile chmod chown remove removeSync emptyDir outputFile move
     write writeTextFile kill createWriteStream cp lchown`,
    SYNC,
  ),
  alone('unlink rm rmdir rename truncate writeFile copyFile rimraf del', SYNC),
  on(String.raw`\bprocess`, 'kill'),
  String.raw`[{,]\s*(?:rm|unlink|rmdir|truncate|writeFile|rename)Sync\s*(?::\s*\w+\s*)?[,}]`,
  method('unlink rm rmdir rename truncate writeFile copyFile chmod chown remove emptyDir', String.raw`Sync\s*\(`),
  method('unlink rmdir writeFile copyFile emptyDir'),
  method('dropDatabase deleteMany deleteOne drop destroy flushall flushdb dropTable dropCollection'),
  String.raw`method\s*:\s*"(\d+)"`,
  on(String.raw`\b(?:axios|got|superagent|ky|needle|request|require\("\d+"\))`, 'delete put patch del'),
];

/** Excludes a variable, a method or a part of a hash in Perl. */
const PERL_FUNCTION = String.raw`(?<![\w$@%>:{])`;

const PERL = [
  String.raw`(?<![\w$@%>:])(?:unlink|rmdir|remove_tree|rmtree)\b(?!\s*(?:=>|=|}))`,
  String.raw`${PERL_FUNCTION}${oneOf('rename truncate kill chmod chown move')}\b\s*[("$@'<qg\d]`,
  arrow('remove remove_tree spew unlink move', String.raw`\b`),
  word('fork'),
  String.raw`\bCORE::(?:GLOBAL::)?` + oneOf('unlink rmdir rename truncate kill chmod chown') + String.raw`\b`,
  word('O_TRUNC'),
  String.raw`${PERL_FUNCTION}truncate\s+[A-Z]`,
];

const RUBY = [
  on(
    String.raw`\b(?:File|FileUtils|Dir|Pathname|IO|FileUtils::\w+)`,
    String.raw`
      delete unlink rm\w* remove\w* rename truncate write binwrite mv move chmod\w* chown\w* rmdir rmtree cp copy\w* install
      safe_unlink ln_sf`,
    String.raw`\b`,
  ),
  on(String.raw`\bProcess`, 'kill', String.raw`\b`),
  method('destroy_all delete_all drop_table rmtree destroy update_all', String.raw`\b`),
  alone('rm_rf?', String.raw`\b`),
  String.raw`\bFile::(?:Constants::)?TRUNC\b`,
];

const PHP = [
  String.raw`(?<![\w>$])${oneOf(
    'unlink rmdir rename file_put_contents ftruncate chmod chown posix_kill copy move_uploaded_file',
  )}${CALL}`,
  arrow('delete truncate drop dropIfExists forceDelete flushAll flushDb', CALL),
];

const LUA = [on(String.raw`\bos`, 'remove rename', ''), on(String.raw`\bio`, 'output', String.raw`\s*\(\s*"`)];

const R = [
  alone(String.raw`
    unlink file\.remove file\.rename write\.\w+ write_\w+ writeLines saveRDS save\.image ggsave sink fwrite file\.copy
    dbRemoveTable`),
];

const POWERSHELL = [
  word(String.raw`
    Remove-\w+ Clear-(?:Content|Disk|Item|RecycleBin|EventLog) Format-Volume Stop-(?:Process|Service|Computer|VM)
    Restart-\w+ Set-Content Out-File Set-Item\w* Initialize-Disk Disable-\w+ Uninstall-\w+ Move-Item Rename-\w+`),
  String.raw`\bInvoke-(?:RestMethod|WebRequest)\b[^;|\n]*\s-Method:?\s+["']?(?:"?Delete|Put|Patch)\b`,
  String.raw`(?:^|[;|{(&\n]|=>)\s*${oneOf('del rm rd rmdir erase ri kill spps mv move ren sc clc')}\s`,
];

const APPLESCRIPT = [
  String.raw`\b(?:delete|empty (?:the )?trash|shut down|restart|move .* to trash|quit application|to quit\b|log out|erase)\b`,
];

/** Languages without a table of their own: Lisp, Erlang, Julia and others. */
const OTHER = [
  String.raw`\b` +
    oneOf(String.raw`
      rm unlink delete remove delete-file delete-directory (?:re)?move-?(?:File|Directory|Item)\w*
      delete-?(?:File|Directory)\w* rename-file write-region file:(?:del_dir\w*|write_file|rename) File\.rm\w* File\.write
      File\.delete rmdir truncate kill shutdown spit`) +
    String.raw`(?:!|_rf!?)?\s*[("\s]`,
];

/**
 * Calls of a language that delete, overwrite or end something. A matching group holds the number of the string that
 * decides what an HTTP request does.
 */
export const DESTRUCTIVE_CALLS: Partial<Record<Language, RegExp>> = {
  python: new RegExp(PYTHON.join('|')),
  javascript: new RegExp(JAVASCRIPT.join('|')),
  perl: new RegExp(PERL.join('|')),
  ruby: new RegExp(RUBY.join('|')),
  php: new RegExp(PHP.join('|')),
  lua: new RegExp(LUA.join('|')),
  r: new RegExp(R.join('|')),
  powershell: new RegExp(POWERSHELL.join('|'), 'i'),
  applescript: new RegExp(APPLESCRIPT.join('|'), 'i'),
  other: new RegExp(OTHER.join('|'), 'i'),
};
