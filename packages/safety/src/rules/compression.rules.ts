import type { Command } from '../shell/command.js';
import { has } from './options.js';
import { table } from './table.js';

export const COMPRESSION = table`
rule    files.compress  low  replaces files with compressed ones, or the other way round
why     the original file is deleted

program gzip pigz gunzip bzip2 pbzip2 bunzip2 xz pixz unxz lzma unlzma lzip compress uncompress
  unless  -c|--stdout|--to-stdout|-t|--test|-l|--list|-V|--version|-k|--keep
  odd     ${namesFiles}  a lone dash is the standard input
  stops   gzip file ; gzip -f x ; gzip -9 dump.sql ; gzip -d file.gz
  passes  gzip -k file ; gzip -c file ; gzip ; gzip -t f.gz ; gzip -l f.gz ; gzip -dk f.gz ; cat f | gzip
program zstd unzstd brotli lz4
  unless  -c|--stdout|--to-stdout|-t|--test|-l|--list|-V|--version
  loses   * --rm|-f|--force
  odd     ${removesSource}  brotli -j deletes, zstd -j2 is a number of threads
  stops   zstd --rm file ; zstd -f file
  passes  zstd f ; zstd -d f.zst
program lzop
  unless  -c|--stdout|--to-stdout|-t|--test|-l|--list|-V|--version
  loses   * -U|-f
  stops   lzop -U file
  passes  lzop file
`;

function namesFiles(_: Command, words: readonly string[]): boolean {
  return words.some((word) => word !== '-');
}

function removesSource(c: Command, words: readonly string[]): boolean {
  return c.name === 'brotli' && words.length > 0 && has(c, '-j');
}
