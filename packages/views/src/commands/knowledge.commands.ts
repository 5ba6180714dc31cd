import { candidatesApi, documentsApi, memoryApi } from '@aish/contracts/endpoints/memory';
import type { AddedMemory } from '@aish/contracts/memory';
import type { DocumentList } from '@aish/contracts/memory-documents';
import { formatAge } from '../duration.format.js';
import { line, span, type Line } from '../line.js';
import { flagLines, trailLines } from '../memory.format.js';
import { oneLine } from '../sanitise.js';
import { resource, verb, words } from './command.js';

const EVERYDAY = resource('', 'knowledge', 'memory', {
  remember: words('Remember a fact in all chats', '<text...>'),
  recall: words('Search memory, the knowledge base and past chats', '<words...>'),
});

const MEMORY = resource('memory', 'knowledge', 'memory', {
  list: words('List memory items, newest first, or search them', '[words...]'),
  show: verb(memoryApi.why, {
    about: 'Show an item, its origin and its history',
    takes: '<number>',
    lines: trailLines,
  }),
  set: verb(memoryApi.edit, {
    about: 'Replace the text of an item',
    takes: '<number> <content...>',
    options: { kind: 'new kind', tag: 'tag to find it by; repeatable' },
    fields: { tag: 'tags' },
    lines: addedLines,
    json: 'print the new item and related items',
  }),
  remove: words('Forget items; the record still shows that they existed', '[numbers...]'),
  inject: words('Reload the memory into a live chat', '[session]'),
  summarize: words('Let a model propose what to remember from a session', '<session>'),
  review: words('Review proposed memories'),
  accept: verb(candidatesApi.accept, {
    about: 'Accept a proposed memory, as it is or reworded',
    takes: '<number> [content...]',
    lines: ({ number, kind, content }) => [line(`${number} (${kind}) ${oneLine(content)}`)],
    json: 'print the item',
  }),
  reject: words('Reject proposed memories; they are not proposed again', '<numbers...>'),
  export: words('Export the whole memory as JSON lines', '[file]'),
  import: words('Import an exported memory', '<file>'),
});

const DOCUMENTS = resource('memory document', 'knowledge', 'memory', {
  list: verb(documentsApi.list, {
    about: 'List memory documents with their archives',
    options: { space: 'the space, for scope space' },
    lines: ({ items }) => items.flatMap((document): readonly Line[] => documentLine(document, Date.now())),
    note: ({ items }) => (items.length === 0 ? 'There are no memory documents yet.' : null),
  }),
  show: words('Show a memory document, a section or its tail', '<scope>'),
  add: words('Append to a memory document, replace or archive it', '<scope> [text...]'),
  compact: verb(documentsApi.compact, {
    about: 'Archive a memory document and let a model shorten it',
    takes: '<scope>',
    options: { space: 'the space, for scope space' },
    lines: ({ beforeBytes, afterBytes, by, archive }) => [
      line(`${beforeBytes} -> ${afterBytes} bytes by ${by}; the previous text is in ${archive}`),
    ],
  }),
});

const KNOWLEDGE = resource('kb', 'knowledge', 'knowledge', {
  list: words('Search the knowledge base, or list all nodes', '[words...]'),
  show: words('Show a node with its links', '<id>'),
  add: words('Add a node, or change one with --id', '[title...]'),
  remove: words('Delete a node or a capture; git keeps its history', '<what>'),
  merge: words('Merge nodes into another node', '<into> <from...>'),
  split: words('Split headlines off a node into nodes of their own', '<id> [headlines...]'),
  supersede: words('Mark a node as superseded by another', '<id> <by>'),
  curate: words('List what needs curation, or mark a node as curated', '[id...]'),
  doctor: words('Check the knowledge base, and show its state'),
  graph: words('Draw nodes and links as a graph'),
  sync: words('Update the index to the newest commit, or its files'),
  push: words('Push the knowledge base now'),
  init: words('Create or adopt the repository, and set up its machine'),
});

export const KNOWLEDGE_COMMANDS = [...EVERYDAY, ...MEMORY, ...DOCUMENTS, ...KNOWLEDGE];

/** Formats a new item, and warnings about it. */
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
      span(`${formatAge(updatedAt, nowMs)} ago by ${oneLine(updatedBy)}`, 'dim'),
    ],
    ...archives.map((archive) => line(`  ${archive.path}  ${archive.reason}  ${archive.sizeBytes} bytes`, 'dim')),
  ];
}
