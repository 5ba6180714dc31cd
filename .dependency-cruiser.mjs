/** Who may import whom. `npm run boundaries` puts the arrows into docs/architecture.md; tests/src/check proves that each rule bites. */

/** package -> packages that it imports, besides contracts. One that nobody uses fails the check, too. */
export const ARROWS = {
  safety: [],
  prompt: [],
  telemetry: [],
  broker: ['telemetry'],
  database: ['telemetry'],
  queue: [],
  http: ['telemetry'],
  'demo-model': [],
  ranking: [],
  lab: [],
  mcp: ['sandbox-client', 'database', 'http', 'secrets'],
  secrets: [],
  memory: ['database', 'broker', 'ranking', 'secrets'],
  knowledge: ['database', 'ranking', 'secrets'],
  tools: [],
  actions: ['safety', 'prompt', 'broker', 'database', 'sandbox-client', 'tools', 'telemetry', 'secrets'],
  'sandbox-client': [],
  client: ['secrets', 'views'],
  views: [],
  sessions: ['actions', 'prompt', 'broker', 'database', 'safety', 'tools', 'telemetry', 'views'],
};
const PURE =
  '^packages/(contracts|safety|prompt|ranking|lab|views)/src/|^packages/sessions/src/machine/|^packages/actions/src/life/';
const SPEC = '\\.spec\\.ts$';
/** The layers of the terminal UI, lowest first. None imports a later one. */
const TUI_LAYERS = [
  '(model|messages|view-state|view-id|history)\\.ts|(markdown|timeline|keys)/',
  'views/',
  'update\\.ts|update/',
  'effects/|screen/|(tui|open-tui)\\.ts',
];
const tuiLayerRules = TUI_LAYERS.slice(0, -1).map((layer, at) => ({
  name: `tui-layer-${at + 1}`,
  severity: 'error',
  comment: 'what is shown follows from the model, and only update() says what comes next',
  from: { path: `^clients/tui/src/(${layer})`, pathNot: SPEC },
  to: { path: `^clients/tui/src/(${TUI_LAYERS.slice(at + 1).join('|')})` },
}));

const packageRules = Object.entries(ARROWS).map(([name, allowed]) => ({
  name: `arrows-of-${name}`,
  severity: 'error',
  comment: `${name} imports contracts${allowed.map((other) => `, ${other}`).join('')} and nothing else of ours`,
  from: { path: `^packages/${name}/`, pathNot: [SPEC, '/testing/'] },
  to: { path: '^packages/', pathNot: `^packages/(${[name, 'contracts', ...allowed].join('|')})/` },
}));

/** Folders of services/sandbox/src, lowest first. Each imports only from earlier ones. */
const SANDBOX_FOLDERS = [
  'scheduling',
  'storage',
  'network',
  'host-folders',
  'workspaces',
  'engine',
  'warm',
  'files',
  'stdio',
  'runs',
  'preview',
  'snapshots',
  'removal',
  'status',
  'metrics',
];
const sandboxRules = SANDBOX_FOLDERS.slice(0, -1).map((name, at) => ({
  name: `sandbox-${name}-below`,
  severity: 'error',
  comment: `${name} imports nothing of ${SANDBOX_FOLDERS.slice(at + 1).join(', ')}`,
  from: { path: `^services/sandbox/src/${name}/`, pathNot: SPEC },
  to: { path: `^services/sandbox/src/(${SANDBOX_FOLDERS.slice(at + 1).join('|')})/` },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'declared',
      severity: 'error',
      comment: 'every imported package is listed in the package.json of the importer',
      from: { path: '^(packages|services|clients|deploy|evals|bench|tests)/' },
      // The package.json of the root lists the test runner and its property library for all projects.
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'], pathNot: '^node_modules/(@jest/globals|fast-check)/' },
    },
    {
      name: 'contracts-alone',
      severity: 'error',
      from: { path: '^packages/contracts/' },
      to: { path: '^(packages|services|clients|deploy)/', pathNot: '^packages/contracts/' },
    },
    ...packageRules,
    ...sandboxRules,
    ...tuiLayerRules,
    {
      name: 'packages-below-services',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^(services|clients|deploy|tests|bench)/' },
    },
    {
      name: 'evals-not-shipped',
      severity: 'error',
      comment: 'jobs and their runner measure an installation; no part of one needs them',
      from: { path: '^(packages|services|clients|deploy)/' },
      to: { path: '^evals/' },
    },
    {
      name: 'services-apart',
      severity: 'error',
      comment: 'services meet over HTTP or the queue; only the one that starts two of them in one process knows both',
      from: { path: '^services/(?!api-with-worker/)([^/]+)/' },
      to: { path: '^(services/(?!$1/)|clients/|deploy/|tests/|bench/)' },
    },
    {
      name: 'clients-know-contracts-only',
      severity: 'error',
      comment:
        'and client, by which they ask the api; views and safety, which are pure; the offline entry of knowledge, which needs no server',
      from: { path: '^clients/([^/]+)/' },
      to: {
        path: '^(packages/(?!(contracts|client|safety|views)/)|services/|deploy/|tests/|bench/)',
        pathNot: '^packages/knowledge/src/offline\\.ts$',
      },
    },
    {
      name: 'clients-apart',
      severity: 'error',
      comment: 'only the programs of cli, and its specs, know the others: they hand each what it needs',
      from: { path: '^clients/([^/]+)/', pathNot: '^clients/cli/src/(main|start|commands\\.main|.*\\.spec)\\.ts$' },
      to: { path: '^clients/(?!$1/)' },
    },
    {
      name: 'offline-needs-no-server',
      severity: 'error',
      comment: 'what clients import of knowledge reaches no database',
      from: {
        path: '^packages/knowledge/src/(offline\\.ts|base/|curate/|git/|graph/|index-file/|lint/|node/|org/|query/)',
      },
      to: { path: '^packages/(database/|knowledge/src/index-db/)' },
    },
    {
      name: 'launcher-below',
      severity: 'error',
      from: { path: '^deploy/' },
      to: { path: '^(services|clients|tests|bench)/' },
    },
    {
      name: 'pure-stays-pure',
      severity: 'error',
      comment: 'no clock, no I/O, no randomness in what only decides',
      from: { path: PURE, pathNot: [SPEC, '/src/testing/'] },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'public-face-only',
      severity: 'error',
      comment: 'another package is reached through its index, its testing entry, or what its exports name',
      from: { path: '^(packages|services|clients|deploy|evals|bench|tests)/([^/]+)/' },
      to: {
        path: '^packages/([^/]+)/src/',
        pathNot: [
          '^packages/$2/',
          '/src/index\\.ts$',
          '/src/testing/',
          '^packages/http/src/address-kind\\.ts$',
          '^packages/knowledge/src/offline\\.ts$',
          // This module only opens secrets. The package itself also loads the rules that find them.
          '^packages/secrets/src/secret-box\\.ts$',
          // Other packages may import any of their modules: @aish/client/goals.api, @aish/contracts/goals, @aish/views/timeline.
          '^packages/(client|contracts|database|views)/src/',
        ],
      },
    },
    {
      name: 'no-test-code-in-production',
      severity: 'error',
      from: { path: '^(packages|services|clients|deploy)/', pathNot: [SPEC, '/testing/', '\\.contract\\.ts$'] },
      to: {
        path: [
          '^(packages|services|clients|deploy)/.*/testing/',
          SPEC,
          '^node_modules/(jest|@jest|testcontainers|fast-check)/',
        ],
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|\\.nx)/|^clients/cli/bundle/' },
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@aish/source', 'import', 'node', 'default'],
      mainFields: ['module', 'main'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
    },
  },
};
