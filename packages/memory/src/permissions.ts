import type { MemoryCaller } from '@aish/contracts/memory';
import type { DocumentScope } from '@aish/contracts/memory-documents';
import { AishError } from '@aish/contracts/problems';

export type WriteMode = 'append' | 'replace';

interface Rights {
  readonly read: boolean;
  readonly write: readonly WriteMode[];
}

const NONE: Rights = { read: false, write: [] };
const ALL: Rights = { read: true, write: ['append', 'replace'] };

/**
 * Permissions for the documents of a scope. `app` is an app's own document. An app cannot even name another app's
 * documents.
 */
const PERMISSIONS: Readonly<Record<'user' | 'app', Readonly<Record<DocumentScope, Rights>>>> = {
  user: { user: ALL, space: ALL, app: NONE },
  app: { user: { read: true, write: [] }, space: { read: true, write: ['append'] }, app: ALL },
};

export function rightsOf(caller: MemoryCaller, scope: DocumentScope): Rights {
  return PERMISSIONS[caller.app === null ? 'user' : 'app'][scope];
}

/** Returns the scopes that a caller may read or write. The caller's tools offer only these. */
export function scopesFor(caller: MemoryCaller, what: 'read' | 'write'): readonly DocumentScope[] {
  const scopes: readonly DocumentScope[] = caller.app === null ? ['user', 'space', 'app'] : ['app', 'space', 'user'];
  return scopes.filter((scope) =>
    what === 'read' ? rightsOf(caller, scope).read : rightsOf(caller, scope).write.length > 0,
  );
}

/** @throws AishError `forbidden` */
export function checkMayRead(caller: MemoryCaller, scope: DocumentScope): void {
  if (!rightsOf(caller, scope).read) throw refusal(caller, `read the memory of scope "${scope}"`);
}

/** @throws AishError `forbidden` */
export function checkMayWrite(caller: MemoryCaller, scope: DocumentScope, mode: WriteMode): void {
  const { write } = rightsOf(caller, scope);
  if (write.includes(mode)) return;
  if (write.length === 0) throw refusal(caller, `write the memory of scope "${scope}"`);
  throw refusal(caller, `${mode} the memory of scope "${scope}": only ${write.join(' and ')} is allowed`);
}

/**
 * Checks that the caller may change items, which belong to a person. An app may search them, as it may read the
 * person's document, but not change them.
 */
export function checkOwnsItems(caller: MemoryCaller): void {
  if (caller.app !== null) throw refusal(caller, 'change the items of a person');
}

function refusal(caller: MemoryCaller, what: string): AishError {
  const who = caller.app === null ? 'A person' : `App ${caller.app.name}`;
  return new AishError('forbidden', `${who} may not ${what}`);
}
