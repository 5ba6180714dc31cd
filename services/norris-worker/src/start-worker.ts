import {
  HostAuthority,
  SafetyGate,
  announceBoundary,
  dropPreview,
  gateSettings,
  sessionSecrets,
  settleLeft,
} from '@aish/actions';
import { Asker, HttpBroker, TokenCounter } from '@aish/broker';
import { secretKeyOf } from '@aish/contracts/config/mcp.settings';
import { presetsOf } from '@aish/contracts/config/presets.settings';
import { storeSettings } from '@aish/contracts/config/store.settings';
import type { WorkerConfig } from '@aish/contracts/config/worker.config';
import type { RunbookCall } from '@aish/contracts/runbooks';
import type { Notice } from '@aish/contracts/events';
import { advanceGoal, fireSchedule } from '@aish/contracts/jobs';
import { parseMcpServers } from '@aish/contracts/mcp-config';
import type { ToolProvider } from '@aish/contracts/tools';
import { sealAudit } from '@aish/database/audit-chain.repository';
import { connectDatabase } from '@aish/database/client';
import { requireSchema } from '@aish/database/migrations/migrate';
import { keptResults } from '@aish/database/results.repository';
import { sandboxPlaces } from '@aish/database/session-sandbox.repository';
import { SessionSpaces } from '@aish/database/session-spaces';
import { SharedLocks } from '@aish/database/shared-locks';
import { metricsFor, startService, type RunningService, type ServiceProcess, type StartOptions } from '@aish/http';
import {
  KnowledgeIndex,
  RunbookTools,
  Runbooks,
  UNASKED_KNOWLEDGE_TOOLS,
  UNASKED_RUNBOOK_TOOLS,
  knowledgeToolsFor,
  queryNamed,
  sharedBase,
  layOutRunbook,
  type PutFiles,
} from '@aish/knowledge';
import { GoalRunner, ModelSlots, probeDialect, notifyChats } from '@aish/sessions';
import { SpaceTools, openMcp } from '@aish/mcp';
import { UNASKED_MEMORY_TOOLS, goalMemory, meaningOf, memoryToolProvider, nearNodes, questionsOf } from '@aish/memory';
import { JOB_RECOVERY, openBus, openQueue, type JobRecovery } from '@aish/queue';
import { WebSocketStdio, openSandboxes, putReadOnly } from '@aish/sandbox-client';
import { SecretBox } from '@aish/secrets/secret-box';
import { TOOLBOX_DEFAULTS, Toolbox, covers } from '@aish/tools';
import { AdvanceHandler } from './advance.handler.js';
import { CapabilityProbe } from './capability-probe.js';
import { modelCapabilities } from './model-capabilities.js';
import { NorrisWorkerModule, work } from './norris-worker.module.js';
import { startEmbedding } from './embed.handler.js';
import { answerExpired } from './expiry.js';
import { cancelAbandonedTasks } from './left-tasks.js';
import { FireHandler, restoreSchedules } from './fire.handler.js';
import { createFollowUps } from './follow-failed.js';
import { requeueOrphanedGoals } from './orphaned-goals.js';
import type { GoalPorts } from './goal-ports.js';
import { carryOutOpened } from './opened.js';
import { Retention } from './retention.js';
import { ScheduledGoals } from './scheduled-goals.js';
import { Sweeper } from './sweeper.js';

const DROP_TIMEOUT_MS = 30_000;

/** Time for goals to reach a checkpoint after SIGTERM. */
const SHUTDOWN_GRACE_MS = 8_000;

/** How long a worker waits, milliseconds. */
export interface WorkerWaits {
  readonly recovery: JobRecovery;
  /** For a goal that another runner is about to leave. */
  readonly lockMs: number;
  /** Interval of the sweeper. */
  readonly sweepEveryMs: number;
  /** Until the job of a goal without a runner counts as lost. */
  readonly lostAfterMs: number;
}

const WAITS: WorkerWaits = {
  recovery: JOB_RECOVERY,
  // Longer than a runner needs to leave a goal that has just halted.
  lockMs: 2_000,
  sweepEveryMs: 2_000,
  lostAfterMs: 3_000,
};

/**
 * Opens the connections of a worker and starts it. Closing the application closes them all. @throws AishError
 * `invalid_config`, or the service that could not be reached.
 */
export async function startWorker(
  { config, logger, telemetry, readText }: ServiceProcess<WorkerConfig>,
  { env = process.env, handleSignals = true, waits: otherWaits }: StartOptions<WorkerWaits> = {},
): Promise<RunningService> {
  const waits = { ...WAITS, ...otherWaits };
  const mcpServers = parseMcpServers(config.MCP_SERVERS, readText);
  const db = connectDatabase(config.DATABASE_URL, {
    applicationName: 'aish-norris-worker',
    onConnectionLost: (err) => logger.warn({ err }, 'lost a database connection'),
  });
  await requireSchema(config.DATABASE_URL);
  const store = storeSettings(config);
  const onError = (err: unknown) => logger.warn({ err }, 'queue or event bus');
  const { recovery } = waits;
  const [queue, bus] = await Promise.all([openQueue({ ...store, onError, recovery }), openBus({ ...store, onError })]);
  const presets = presetsOf(config);
  const meaning = meaningOf(db, presets);
  const secretKey = secretKeyOf(config);
  const secretBox = new SecretBox(secretKey, 'secrets');
  const mcp = await openMcp({
    db,
    servers: mcpServers,
    box: new SecretBox(secretKey, 'mcp secrets'),
    secrets: secretBox,
    programs: new WebSocketStdio(config.SANDBOX_URL, config.SANDBOX_TOKEN),
    oauthCallbackUrl: null,
    log: (alias, text) => logger.info({ server: alias }, `MCP: ${text}`),
  });
  const spaces = new SessionSpaces(db);
  const servers = new SpaceTools(spaces, mcp.registry);
  const broker = new HttpBroker();
  const questions = questionsOf(db, broker, presets);
  const capabilityStore = modelCapabilities(db, broker, mcpServers.length > 0, onError);
  const asker = new Asker(broker, capabilityStore, new TokenCounter(broker));
  const gate = new SafetyGate(broker, gateSettings(config, presets));
  const knowledgeDir = config.KNOWLEDGE_DIR;
  // The api's repository. Another machine has its own clone, or none.
  const base = knowledgeDir === undefined ? null : sharedBase(db, { dir: knowledgeDir, env });
  const near = meaning === null && questions === null ? null : nearNodes(db, meaning);
  const index = base === null ? null : new KnowledgeIndex(db, base, near);
  const knowledge = base === null || index === null ? null : knowledgeToolsFor(db, index, base);
  const memory = memoryToolProvider(
    db,
    spaces,
    meaning,
    index && ((text, limit, token, signal) => queryNamed(db, index, { text, limit }, token, signal)),
  );
  const runbooks = base === null ? null : new Runbooks(db, base);
  const publish = (notice: Notice): void => void bus.publish(notice).catch(onError);
  const locks = new SharedLocks(db, (err) => logger.warn({ err }, 'keep the locks of goals'));
  const unasked = [
    ...UNASKED_MEMORY_TOOLS,
    ...UNASKED_KNOWLEDGE_TOOLS,
    ...UNASKED_RUNBOOK_TOOLS,
    ...config.AUTO_APPROVE,
  ];
  const { sandbox, workspaces, hosts: bridge } = openSandboxes(config, sandboxPlaces(db));
  const toolProviders: ToolProvider[] = [servers, memory];
  if (knowledge !== null) toolProviders.push(knowledge);
  const put: PutFiles = (id, folder, files, signal) => putReadOnly(workspaces, id, folder, files, signal);
  if (runbooks !== null) toolProviders.push(new RunbookTools(db, runbooks, put));
  const { HOSTS_CA_KEY: caKey } = config;
  const toolbox = new Toolbox(
    () => toolProviders,
    keptResults(db),
    TOOLBOX_DEFAULTS,
    (err, provider) => logger.warn({ err }, `could not list the tools of ${provider}`),
  );
  const runner = new GoalRunner(
    {
      db,
      locks,
      asker,
      gate,
      sandbox,
      workspaces,
      hosts: caKey === undefined ? undefined : { authority: new HostAuthority(caKey), bridge },
      secrets: sessionSecrets(db, secretBox),
      toolbox,
      autoApproves: (label) => mcp.registry.isAutoApproved(label) || unasked.some((pattern) => covers(pattern, label)),
      slots: new ModelSlots(config.MODEL_CONCURRENCY),
      memory: goalMemory(db, spaces),
      onError: (err, goalId) => logger.error({ err, goalId }, 'a run of a goal failed'),
      publish,
      at: announceBoundary,
    },
    {
      presets,
      commandTimeoutMs: config.COMMAND_TIMEOUT_MS,
      elicitationWaitMs: config.ELICITATION_WAIT_MS,
      toolShare: config.TOOL_SHARE,
      waitMinMs: config.WAIT_MIN_MS,
      waitMaxMs: config.WAIT_MAX_MS,
      lockWaitMs: waits.lockMs,
      grants: config.GRANTS === 'allow',
      trustMax: config.TRUST_MAX,
    },
  );
  const runGoal: GoalRunner['run'] = async (goalId, signal) => {
    if (runbooks !== null) await layOutRunbook(db, runbooks, put, goalId, signal);
    return runner.run(goalId, signal);
  };
  const handler = new AdvanceHandler({ run: runGoal }, queue, bus);
  await handler.start();
  const worker = work(queue, handler, config.WORKER_CONCURRENCY);
  const openRunbook = runbooks === null ? undefined : (call: RunbookCall) => runbooks.open(call);
  const maxSteps = config.MAX_NORRIS_STEPS;
  const scheduledGoals = new ScheduledGoals(db, sandbox, maxSteps, openRunbook);
  const fire = new FireHandler(scheduledGoals, queue, bus);
  await restoreSchedules(db, queue, logger);
  const schedules = queue.work(fireSchedule, (payload, _signal, jobId) => fire.handle(payload, jobId), {
    concurrency: 1,
  });
  const embedder = await startEmbedding(queue, { db, meaning, questions }, logger);
  const ports: GoalPorts = {
    db,
    queueGoal: (goalId, priority) => queue.add(advanceGoal, { goalId }, { priority }),
    publish,
  };
  const sweeper = new Sweeper(
    {
      'answer what nobody answered in time': () =>
        answerExpired(ports, (asked) =>
          dropPreview(sandbox, asked, (err) => logger.warn({ err }, 'a preview is left until it is old')),
        ),
      'let run what waited for its change window': () => carryOutOpened(ports),
      'give what follows goals that failed': () => createFollowUps({ ...ports, maxSteps, openRunbook }),
      'tell chats of the ends of their goals': () => notifyChats(db, publish),
      'seal the audit log': () => sealAudit(db),
      'cancel tasks that nobody waits for': () => cancelAbandonedTasks(db, mcp.registry),
      'settle what commands left held': () => settleLeft(db, sandbox, AbortSignal.timeout(DROP_TIMEOUT_MS)),
      'add jobs that were lost': () => requeueOrphanedGoals(db, queue, waits.lostAfterMs),
    },
    logger,
    waits.sweepEveryMs,
  );
  sweeper.start();
  const retention = new Retention(db, logger, config.GOAL_EVENTS_DAYS);
  retention.start();
  const probe = new CapabilityProbe({
    db,
    capabilityStore,
    presets,
    logger,
    probe: (preset, signal) => probeDialect(preset, { asker, toolbox, autoApproves: () => false }, signal),
  });
  probe.start();
  return startService(
    NorrisWorkerModule.register({
      db,
      locks,
      queue,
      bus,
      handler,
      sweeper,
      retention,
      probe,
      workers: [worker, schedules, embedder],
      telemetry,
      mcp,
      graceMs: SHUTDOWN_GRACE_MS,
    }),
    {
      host: config.HEALTH_HOST,
      port: config.HEALTH_PORT,
      logger,
      handleSignals,
      metrics: metricsFor(telemetry, config),
    },
  );
}
