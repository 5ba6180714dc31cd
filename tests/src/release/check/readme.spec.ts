import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GoalList } from '@aish/contracts/goals';
import { KnowledgeHits } from '@aish/contracts/knowledge';
import { demoScript, startScriptedModel, type ScriptedModel } from '@aish/demo-model';
import { REQUIREMENTS, verifies, type RequirementId } from '../../requirements.js';
import { closeAll } from '../../support/close-all.js';
import { commandsOf, pages } from '../../support/documented-commands.js';
import { ROOT } from '../../support/service.process.js';
import { Stack } from '../../support/stack.js';
import { Terminal } from '../../support/terminal.js';

/** Commands that other tests run, by prefix, with the requirements that those tests prove. */
const RUN_ELSEWHERE: Readonly<Record<string, RequirementId>> = {
  'npx aish': 'docs.commands',
  'aish brief': 'hosts.brief',
  'npm pack --workspace @aish/cli': 'tui.pack',
  'npm install --global ./aish-cli-': 'tui.pack',
  'npm ci && npm start': 'launcher.start',
  'npm start': 'launcher.start',
  'npm ci && npm test': 'check.bites',
  'docker compose up -d --build --wait': 'main-job.compose',
  'docker compose exec api aish run': 'main-job.compose',
  'docker compose exec api aish': 'docs.commands',
  'docker compose logs -f norris-worker': 'docs.commands',
  'docker compose run --rm secrets cat /secrets/grafana/password': 'docs.commands',
  'docker volume rm $(docker volume ls -q -f label=dev.aish.instance=aish)': 'docs.commands',
  'FAST_BASE_URL=http://gpu.lan:8080 docker compose up -d': 'docs.commands',
  'ssh -L 7717:127.0.0.1:7717 homelab': 'docs.tunnel',
  'export DOCKER_HOST=unix:///run/user/1000/docker.sock': 'compose.rootless',
  'docker compose exec -T api cat /var/lib/aish/token': 'main-job.compose',
  'docker compose exec api cat /var/lib/aish/token': 'main-job.compose',
  'docker compose up -d --scale norris-worker=2': 'main-job.compose',
  'docker compose exec -T api sed s/@postgres:': 'grow.compose',
  'docker compose exec -T api sed s/@redis:': 'grow.compose',
  'docker compose exec -T api cat /run/secrets/sandbox/token': 'grow.compose',
  'aish show g4 --evidence': 'hosts.evidence',
  'aish show c12 --evidence': 'hosts.evidence',
  'aish host set ': 'hosts.job',
  'aish host ': 'hosts.set-up',
  'aish run --host ': 'hosts.set-up',
  'aish ask --host ': 'hosts.chat',
  'aish set c12 --host ': 'hosts.chat',
  'aish set 4 --secret ': 'secrets.unseen',
  'aish secret ': 'secrets.unseen',
  'npx aish config export ': 'config.files',
  'npx aish config apply ': 'config.files',
  'npm run jobs -- first-answers ': 'jobs.read',
  'npm run jobs -- ': 'jobs.solved',
  'npm run --silent jobs -- ': 'jobs.read',
  'aish space set media --user': 'spaces.roles',
  'aish setup': 'setup.first-job',
  'npx aish --inline': 'tui.inline',
  'npx aish upgrade': 'upgrade.command',
  'sh install.sh http://nas.lan/aish --signer ': 'release.install',
  'ssh-keygen -Y ': 'release.install',
  'sha256sum -c SHA256SUMS': 'release.install',
  'git -c gpg.ssh.allowedSignersFile=deploy/release/signers ': 'upgrade.signed',
  'docker build -f deploy/Dockerfile --target aish -t ': 'home.image',
  'docker run -d --name aish ': 'home.image',
  'docker logs aish': 'home.image',
  'docker exec -it aish aish': 'home.image',
  'deploy/home/uninstall.sh container': 'home.uninstall',
  'deploy/home/move.sh ': 'home.move',
  'docker exec aish aish backup ': 'home.move',
  'aish image ': 'spaces.image',
  'aish space set media --window': 'decision.change-window',
  'aish decide d17 proceed --in-window': 'decision.change-window',
  'aish space set vault --approve': 'decision.several-people',
  'aish space set media --escalate': 'decision.escalation',
  'aish space ': 'spaces.reach',
  'aish run --trust ': 'trust.undoable',
  'aish run --space ': 'spaces.reach',
  'aish ask --space ': 'spaces.reach',
  'curl -H "Authorization: Bearer $GRAFANA_TOKEN" https://grafana.lan': 'secrets.unseen',
  // The command prints steps that a person must do by hand.
  'aish kb init --repo ~/kb --emacs': 'knowledge.emacs',
  'npm run build': 'check.bites',
  'npm run check': 'check.bites',
  'npm run --silent sbom -- aish-api': 'supply.sbom',
  'npm run --silent sbom': 'supply.pinned',
  'npm run chaos': 'goal.chaos',
  'npm run conformance': 'mcp.conformance',
  'curl -s -H "Authorization: Bearer $(cat token)" http://127.0.0.1:7717/openapi.json': 'docs.api-reference',
  'npx aish mcp ': 'mcp.documented',
  'aish mcp add ': 'mcp.stdio-space',
  'aish decide d20 ': 'goal.needs',
  'aish decide d18 accept': 'mcp.elicitation-waits',
  'aish decide d19 decline': 'mcp.elicitation-waits',
};

/** Commands that one of our files runs before or beside the tests, with the file and the part of the command in it. */
const RUN_BY: Readonly<Record<string, readonly [file: string, part: string]>> = {
  'deploy/docker/install-engine.sh': ['tests/prepare.mjs', 'deploy/docker/install-engine.sh'],
  'deploy/docker/base-images.sh': ['tests/prepare.mjs', 'deploy/docker/base-images.sh'],
  'services/sandbox/image/build.sh': ['deploy/launcher/src/engine.ts', 'services/sandbox/image/build.sh'],
  'npm run test:release': ['.ci/run', 'test:release'],
  // The spec replays the same recordings.
  'npm run recordings': ['packages/sessions/src/machine/goal/replay.spec.ts', 'recordings'],
  'SEED=123 npx jest --testPathPatterns simulation.release': [
    'packages/sessions/src/testing/simulation/simulation.release.spec.ts',
    'SEED',
  ],
  'SEEDS=20000 FROM=1 npx jest --testPathPatterns simulation.release': [
    'packages/sessions/src/testing/simulation/simulation.release.spec.ts',
    'SEEDS',
  ],
};

/** Commands that no test can run, by prefix, with the reason. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'npm run release -- OUT': 'it takes ten minutes, and an engine that keeps images in the store of containerd',
  'npm test -- ': 'tests do not start tests',
  'docker rm --force aish': 'tests remove their own container by its own name',
  'useradd --system ': 'the tests must not change the users and services of the machine',
  'cd /opt/aish ': 'as above',
  'cp deploy/home/aish.service ': 'as above',
  'journalctl -u aish': 'as above',
  'docker compose exec ntfy': 'the image is not in every registry that tests have, and Debian has no package of it',
};

/** The exit codes of examples that do not end with 0. */
const EXITS: Readonly<Record<string, number>> = {
  // The goal halts and nobody is there to answer, as the README says.
  '--watch': 6,
  'safety check rm -rf build': 3,
  'safety check sed -i': 3,
};

/** This page is generated from the table of commands, and clients/cli/src/commands.reference.spec.ts tests it. */
const GENERATED = 'docs/commands.md';
/** release/system/swarm.spec.ts runs this page completely. */
const RUN_AS_A_WHOLE = 'deploy/swarm/README.md';

const commands = [
  ...new Set(pages().flatMap((page) => ([GENERATED, RUN_AS_A_WHOLE].includes(page) ? [] : commandsOf(page)))),
];
const startsWithOneOf = (table: object) => (command: string) =>
  Object.keys(table).find((start) =>
    // Without arguments, aish opens the terminal UI.
    start.endsWith(' aish') ? command === start : command.startsWith(start),
  );
const elsewhere = startsWithOneOf(RUN_ELSEWHERE);
const byFile = startsWithOneOf(RUN_BY);
const notRun = startsWithOneOf(NOT_RUN);
const ours = commands.filter((command) => /^(npx )?aish /.test(command) && elsewhere(command) === undefined);

describe('the commands of README, docs and deploy', () => {
  let model: ScriptedModel;
  let stack: Stack;
  let knowledge: string;

  beforeAll(async () => {
    model = await startScriptedModel({ script: demoScript, tokensPerSecond: 5_000 });
    knowledge = await mkdtemp(join(tmpdir(), 'aish-readme-'));
    stack = await Stack.start({ modelUrl: model.url, env: { KNOWLEDGE_DIR: join(knowledge, 'kb') } });
    await writeFile(join(stack.dir, 'actions.jsonl'), '{"id":1,"cmd":"ls"}\n');
    // The examples use these numbers.
    for (let n = 1; n <= 4; n += 1) await stack.client.createGoal(`look around ${n}`);
    for (const { id } of (await stack.client.json(GoalList, 'GET', '/v1/goals')).items)
      await stack.client.decisionOf(id);
  }, 120_000);

  afterAll(
    () =>
      closeAll(
        () => stack?.stop(),
        () => model?.close(),
        () => rm(knowledge, { recursive: true, force: true }),
      ),
    60_000,
  );

  it(verifies('docs.commands', 'every documented command is run by a test, or listed with the reason why not'), () => {
    expect(ours.length).toBeGreaterThan(20);
    for (const command of commands.filter((other) => !ours.includes(other))) {
      const id = RUN_ELSEWHERE[elsewhere(command) ?? ''];
      const [file, part] = RUN_BY[byFile(command) ?? ''] ?? [];
      const isRun =
        (id !== undefined && id in REQUIREMENTS) ||
        (file !== undefined && part !== undefined && readFileSync(`${ROOT}${file}`, 'utf8').includes(part));
      expect([command, isRun || notRun(command) !== undefined]).toEqual([command, true]);
    }
  });

  it('the lists of commands that no test runs name only documented commands', () => {
    for (const table of [RUN_ELSEWHERE, RUN_BY, NOT_RUN]) {
      const used = new Set(commands.map(startsWithOneOf(table)));
      expect(Object.keys(table).filter((start) => !used.has(start))).toEqual([]);
    }
  });

  it.each(ours)(
    'the documented command exits with the expected status: %s',
    async (command) => {
      const { status, stderr } = await runInShell(
        (await filled(command)).replace(/^(npx )?aish/, `${process.execPath} ${ROOT}clients/cli/bin/aish.mjs`),
        {
          cwd: stack.dir, // a file `token` is there, as in the README
          env: {
            PATH: process.env['PATH'] ?? '',
            HOME: stack.dir,
            AISH_URL: stack.client.url,
            AISH_TOKEN_FILE: join(stack.dir, 'token'),
          },
        },
      );
      const [, exit = 0] = Object.entries(EXITS).find(([part]) => command.includes(part)) ?? [];
      // `config check` reports success on stderr.
      expect([stderr.replace(/^.*(aish decide.*|is valid)$/m, '').trim(), status]).toEqual(['', exit]);
    },
    90_000,
  );

  it('npx aish without arguments opens the terminal UI', async () => {
    const terminal = await Terminal.open(`cd '${ROOT}' && npx aish`, {
      env: {
        AISH_URL: stack.client.url,
        AISH_TOKEN_FILE: join(stack.dir, 'token'),
        XDG_STATE_HOME: stack.dir,
      },
    });
    try {
      await terminal.shows(/\bonline · /);
      await terminal.press('C-q');
      expect(await terminal.shows(/ended with \d/)).toContain('ended with 0');
    } finally {
      await terminal.close();
    }
  }, 90_000);

  /** Replaces `ID` in a command with the ID of the node that the page has just added. */
  async function filled(command: string): Promise<string> {
    if (!command.endsWith(' ID')) return command;
    const { items } = await stack.client.json(KnowledgeHits, 'GET', '/v1/knowledge/nodes?text=nginx');
    return command.replace(/ID$/, items[0]?.id ?? '');
  }
});

function runInShell(
  command: string,
  options: { cwd: string; env: Record<string, string> },
): Promise<{ status: number | string; stderr: string }> {
  return new Promise((resolve) => {
    execFile('sh', ['-c', command], { ...options, timeout: 60_000 }, (error, _stdout, stderr) => {
      resolve({ status: error === null ? 0 : (error.code ?? String(error.signal)), stderr });
    });
  });
}
