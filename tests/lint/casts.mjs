// This oxlint rule refuses casts that accept anything (`as unknown as T`, `as never`). Such a cast hides a fake that
// lacks a method: a benchmark once called a method that its fake did not have. Use a narrower type (`Pick`), or
// implement the whole type.

/** In these places third-party types are wrong or not expressive enough. */
const ALLOWED = {
  'clients/cli/src/ask-line.ts': 'at a terminal it is a stream of Node; its type says what commands use of it',
  'clients/cli/src/command.ts': 'TypeScript cannot say "a command of some types": they are its own business',
  'clients/tui/src/screen/blessed.screen.ts': 'the types of blessed lack what it has',
  'clients/web/src/sw.ts': 'the types of pages lack the world of a service worker',
  'packages/contracts/src/schemas.spec.ts': 'zod does not type what a schema is made of',
  'packages/database/src/migrations/schema-engine.ts': 'the types of Node 20 lack WebAssembly',
  'packages/mcp/src/bounded-fetch.ts': 'two versions of undici, the same at run time',
  'packages/mcp/src/endpoint.ts': 'the SDK reads who asks from a field that requests of Node do not have',
  'packages/queue/src/backend.ts': 'BullMQ describes a pool more narrowly than pg does',
  'services/api/src/backup/archive.ts': 'the streams of tar are streams of Node in all but their type',
  'services/api/src/backup/backup.service.ts':
    'the web has streams of its own, and Node has the same with another type',
  'services/api/src/testing/mcp.clients.ts':
    'the type of an answer depends on a question that is known at run time only',
  'services/sandbox/src/engine/run.containers.ts': 'the types of dockerode know no log that goes on',
  'services/sandbox/src/secrets/authority.ts': 'Node types webcrypto apart from the web',
};

const create = (context) => ({
  TSAsExpression(node) {
    const { expression, typeAnnotation } = node;
    const isDouble = expression.type === 'TSAsExpression' && expression.typeAnnotation.type === 'TSUnknownKeyword';
    if (!isDouble && typeAnnotation.type !== 'TSNeverKeyword') return;
    const path = context.filename.replaceAll('\\', '/');
    if (Object.keys(ALLOWED).some((allowed) => path.endsWith(`/${allowed}`))) return;
    context.report({ node, message: 'This cast takes everything: take a narrower port, or implement all of it' });
  },
});

export default { meta: { name: 'aish' }, rules: { 'no-blind-cast': { create } } };
