import type { Word } from './command.js';

/** Long options that matter to a rule, for programs that accept abbreviations. */
const LONG: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    sort: 'compress-program output',
    rsync:
      'rsh rsync-path delete delete-before delete-during delete-delay delete-after delete-excluded remove-source-files inplace force log-file write-batch backup-dir dry-run',
    curl: 'request output trace trace-ascii dump-header cookie-jar upload-file stderr libcurl hsts alt-svc etag-save config data json quote write-out',
    wget: 'output-document output-file method post-data execute delete-after use-askpass save-cookies rejected-log warc-file',
    cp: 'force remove-destination no-clobber',
    mv: 'force no-clobber',
    ln: 'force symbolic',
    chmod: 'recursive reference',
    chown: 'recursive reference',
    tar: 'to-command use-compress-program checkpoint-action remove-files delete info-script new-volume-script rsh-command rmt-command file create extract',
    shred: 'remove',
    truncate: 'size reference',
    split: 'filter',
    gzip: 'keep stdout test list force',
    date: 'set',
  }).map(([name, options]) => [name, options.split(' ').map((option) => `--${option}`)] as const),
);
/** Complete options that are also the beginning of others. */
const WHOLE = /^--(?:cookie|backup|partial|no|re|ex|in|out|del)$/;

/**
 * Returns the words of a program with its long options expanded: `curl --req DELETE` becomes `curl --request DELETE`.
 */
export function withLongOptions(name: string, words: readonly Word[]): readonly Word[] {
  const known = LONG.get(name);
  if (known === undefined || !words.some(({ text }) => text.startsWith('--'))) return words;
  const end = words.findIndex(({ text }) => text === '--');
  return words.map((word, at) => {
    const [option = '', ...rest] = word.text.split('=');
    if (at === 0 || (end !== -1 && at > end) || !/^--\w\w/.test(option) || WHOLE.test(option) || known.includes(option))
      return word;
    const full = known.find((each) => each.startsWith(option));
    return full === undefined ? word : { ...word, text: [full, ...rest].join('=') };
  });
}
