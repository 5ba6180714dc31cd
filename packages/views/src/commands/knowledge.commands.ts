import { candidatesApi, documentsApi, memoryApi } from '@aish/contracts/endpoints/memory';
import type { AddedMemory } from '@aish/contracts/memory';
import type { DocumentList } from '@aish/contracts/memory-documents';
import { formatAge } from '../duration.format.js';
import { line, span, type Line } from '../line.js';
import { flagLines, trailLines } from '../memory.format.js';
import { oneLine } from '../sanitise.js';
import { resource, verb, words } from './command.js';

const EVERYDAY = resource('', 'knowledge', {
  remember: words('Keep a fact for all chats', '<text...>'),
  recall: words('Search memory, knowledge base and past chats', '<words...>'),
});

const MEMORY = resource('memory', 'knowledge', {
  list: words('List memory items, newest first; with words, search', '[words...]'),
  show: verb(memoryApi.why, {
    about: 'Show an item, where it comes from and what became of it',
    takes: '<number>',
    lines: trailLines,
  }),
  set: verb(memoryApi.edit, {
    about: 'Replace the text of an item',
    takes: '<number> <content...>',
    options: { kind: 'another kind', tag: 'tag to find it by; repeatable' },
    fields: { tag: 'tags' },
    lines: addedLines,
    json: 'print the new item and what is noticed about it',
  }),
  remove: words('Forget items; the record keeps that they existed', '[numbers...]'),
  inject: words('Load the memory into a live chat again', '[session]'),
  summarize: words('Let a model propose what to remember of a session', '<session>'),
  review: words('Review what models propose to remember'),
  accept: verb(candidatesApi.accept, {
    about: 'Accept a proposed memory, as it is or in other words',
    takes: '<number> [content...]',
    lines: ({ number, kind, content }) => [line(`${number} (${kind}) ${oneLine(content)}`)],
    json: 'print the item',
  }),
  reject: words('Reject proposed memories; they are not proposed again', '<numbers...>'),
  export: words('Export the whole record as JSON lines', '[file]'),
  import: words('Import a record of memory', '<file>'),
});

const DOCUMENTS = resource('memory document', 'knowledge', {
  list: verb(documentsApi.list, {
    about: 'List memory documents with their archives',
    options: { space: 'project, for scope space' },
    lines: ({ items }) => items.flatMap((document): readonly Line[] => documentLine(document, Date.now())),
    note: ({ items }) => (items.length === 0 ? 'There are no memory documents yet.' : null),
  }),
  show: words('Show a memory document, a section or its tail', '<scope>'),
  add: words('Append to a memory document, or replace it', '<scope> [text...]'),
  archive: words('Keep a summary beside a memory document', '<scope> [text...]'),
  compact: verb(documentsApi.compact, {
    about: 'Archive a memory document and let a model shorten it',
    takes: '<scope>',
    options: { space: 'project, for scope space' },
    lines: ({ beforeBytes, afterBytes, by, archive }) => [
      line(`${beforeBytes} -> ${afterBytes} bytes by ${by}; before: ${archive}`),
    ],
  }),
});

const KNOWLEDGE = resource('kb', 'knowledge', {
  list: words('Search the knowledge base; without words, list it', '[words...]'),
  show: words('Show a node with its links', '<id>'),
  add: words('Write a node, or change one with --id', '[title...]'),
  remove: words('Delete a node or a capture; git keeps its past', '<what>'),
  merge: words('Merge nodes into another one', '<into> <from...>'),
  split: words('Make nodes of the headlines of a node', '<id> [headlines...]'),
  supersede: words('Mark a node as superseded by another', '<id> <by>'),
  curate: words('List what needs curation, or mark a node as curated', '[id...]'),
  lint: words('Check every node, the index and all captures'),
  doctor: words('Check everything that can be wrong with it'),
  status: words('Show the commit, the remote and what waits for a push'),
  graph: words('Draw nodes and links as a graph'),
  index: words('Write the index files again'),
  sync: words('Bring the index to the newest commit'),
  push: words('Push now'),
  init: words('Create or adopt the repository'),
  provision: words('Set this machine up for a clone'),
});

export const KNOWLEDGE_COMMANDS = [...EVERYDAY, ...MEMORY, ...DOCUMENTS, ...KNOWLEDGE];

/** What was remembered, and what is noticed about it. */
export function addedLines(added: AddedMemory): readonly Line[] {
  const { number, kind, content } = added.item;
  return [[span(`${number} `, 'bold'), span(`(${kind}) `, 'dim'), span(oneLine(content))], ...flagLines(added)];
}

function documentLine(document: DocumentList['items'][number], nowMs: number): readonly Line[] {
  const { scope, space, version, sizeBytes, wholeTokens, updatedAt, updatedBy, archives } = document;
  return [
    [
      span(`${scope}${space === null ? '' : ` ${oneLine(space)}`}`, 'bold'),
      span(`  version ${version}  ${sizeBytes} bytes, about ${wholeTokens} tokens  `),
      span(`${formatAge(updatedAt, nowMs)} by ${oneLine(updatedBy)}`, 'dim'),
    ],
    ...archives.map((archive) => line(`  ${archive.path}  ${archive.reason}  ${archive.sizeBytes} bytes`, 'dim')),
  ];
}
