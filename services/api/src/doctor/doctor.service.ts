import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DoctorCheck, DoctorReport } from '@aish/contracts/doctor';
import type { EngineCapabilityName, EngineReport } from '@aish/contracts/engine';
import { VERSION } from '@aish/contracts/health';
import { invariant } from '@aish/contracts/invariant';
import { isAishError } from '@aish/contracts/problems';
import type { SandboxStatus } from '@aish/contracts/runs';
import type { ApiParts } from '../api.parts.js';
import { ConfigService } from '../config/config.service.js';
import { McpService } from '../mcp/mcp.service.js';
import { ModelsService } from '../models/models.service.js';

const CHECK_TIMEOUT_MS = 10_000;
/** No worker takes a goal that has been queued for longer than this. */
const QUEUED_TOO_LONG_S = 120;
const NOBODY = { name: 'doctor', scope: null } as const;

/** Checks everything that aish depends on, and says how to fix each problem. */
@Injectable()
export class DoctorService {
  constructor(
    @Part('all') private readonly parts: Pick<ApiParts, 'db' | 'queue' | 'sandbox' | 'backupSchedule' | 'knowledge'>,
    private readonly modelList: ModelsService,
    private readonly servers: McpService,
    private readonly configuration: ConfigService,
  ) {}

  async examine(): Promise<DoctorReport> {
    const looks: readonly (readonly [string, () => Promise<readonly DoctorCheck[]>])[] = [
      ['database', () => this.database()],
      ['queue', () => this.queue()],
      ['worker', () => this.workers()],
      ['sandbox', () => this.sandbox()],
      ['models', () => this.models()],
      ['knowledge', () => this.knowledge()],
      ['mcp', () => this.mcp()],
      ['notifications', () => this.notifications()],
      ['backups', () => this.backups()],
      ['config', () => this.config()],
    ];
    const checks = await Promise.all(looks.map(([name, look]) => guarded(name, look)));
    const all = [ok('api', `aish ${VERSION}`), ...checks.flat()];
    return { ok: all.every(({ state }) => state !== 'error'), checks: all };
  }

  private async database(): Promise<DoctorCheck[]> {
    const { rows } = await this.parts.db.pool.query<{ version: string; size: string; used: number; max: number }>(
      `select current_setting('server_version') as version, pg_size_pretty(pg_database_size(current_database())) as size,
         (select count(*)::int from pg_stat_activity where datname = current_database()) as used,
         current_setting('max_connections')::int as max`,
    );
    const [row] = rows;
    invariant(row !== undefined, 'a select without a table gives one row');
    const detail = `Postgres ${row.version}, ${row.size}, ${row.used} of ${row.max} connections`;
    if (row.used < row.max * 0.8) return [ok('database', detail)];
    return [warning('database', detail, 'Raise max_connections of Postgres, or run fewer services')];
  }

  private async queue(): Promise<DoctorCheck[]> {
    await this.parts.queue.counts();
    return [ok('queue', 'answers')];
  }

  private async workers(): Promise<DoctorCheck[]> {
    const { rows } = await this.parts.db.pool.query<{ queued: number; oldest: number; failed: number }>(
      `select count(*) filter (where state = 'queued')::int as queued,
         coalesce(extract(epoch from now() - min(updated_at) filter (where state = 'queued')), 0)::float8 as oldest,
         count(*) filter (where state = 'failed' and ended_at > now() - interval '1 day')::int as failed
       from goals where ended_at is null or ended_at > now() - interval '1 day'`,
    );
    const { queued = 0, oldest = 0, failed = 0 } = rows[0] ?? {};
    const detail = `${queued} goals queued, ${failed} failed since yesterday`;
    if (oldest > QUEUED_TOO_LONG_S) {
      const age = `the oldest for ${Math.round(oldest / 60)} minutes`;
      return [error('worker', `${detail}; ${age}`, 'No worker takes goals. Start norris-worker, or read its log')];
    }
    if (failed > 0) return [warning('worker', detail, 'Find out why: aish goals --state failed')];
    return [ok('worker', detail)];
  }

  private async sandbox(): Promise<DoctorCheck[]> {
    const status = await this.parts.sandbox.describe(AbortSignal.timeout(CHECK_TIMEOUT_MS));
    const engine = status.engine === null ? [] : engineTable(status.engine);
    if (status.ready) return [ok('sandbox', 'accepts commands'), ...engine, ...folders(status)];
    const advice = 'Commands wait until this is fixed; then goals continue automatically';
    return [error('sandbox', status.detail ?? 'no engine', advice), ...engine];
  }

  private async models(): Promise<DoctorCheck[]> {
    const models = await this.modelList.list();
    return models.flatMap((model) => {
      const name = `model ${model.preset}`;
      const detail = `${model.state}: ${model.model ?? 'unnamed'} at ${model.baseUrl}${model.detail === null ? '' : `, ${model.detail}`}`;
      if (model.demo) return warning(name, detail, 'This is a script, not a language model. Set FAST_BASE_URL');
      const warnings = (model.warnings ?? []).map((each) => warning(name, each.detail, each.advice));
      if (model.state === 'ready') return [ok(name, detail), ...warnings];
      return error(name, detail, `Start the endpoint, or set another one with ${model.preset.toUpperCase()}_BASE_URL`);
    });
  }

  private async knowledge(): Promise<DoctorCheck[]> {
    try {
      const { checks } = await this.parts.knowledge.service.doctor(NOBODY, AbortSignal.timeout(CHECK_TIMEOUT_MS));
      const bad = checks.filter(({ state }) => state !== 'ok');
      if (bad.length === 0) return [ok('knowledge', `${checks.length} checks, no problems`)];
      return bad.map(({ name, state, detail, advice }) => ({
        name: `knowledge ${name}`,
        state: state === 'failed' ? 'error' : 'warning',
        detail,
        advice,
      }));
    } catch (problem) {
      if (!isAishError(problem, 'knowledge_missing')) throw problem;
      return [{ name: 'knowledge', state: 'off', detail: 'KNOWLEDGE_DIR is not set', advice: null }];
    }
  }

  private async mcp(): Promise<DoctorCheck[]> {
    const items = await this.servers.servers();
    if (items.length === 0) return [{ name: 'mcp', state: 'off', detail: 'no servers', advice: null }];
    return items.map(({ alias, state, detail }) => {
      const name = `mcp ${alias}`;
      if (state === 'connected') return ok(name, 'connected');
      return warning(name, `${state}${detail === null ? '' : `: ${detail}`}`, 'aish retries on its own');
    });
  }

  private async notifications(): Promise<DoctorCheck[]> {
    const { rows } = await this.parts.db.pool.query<{ channels: string[]; failed: number; last: string | null }>(
      `select array(select name from notification_channels order by 1) as channels,
         (select count(*)::int from notifications where state = 'failed') as failed,
         (select error from notifications where error is not null order by created_at desc limit 1) as last`,
    );
    const { channels = [], failed = 0, last = null } = rows[0] ?? {};
    if (channels.length === 0)
      return [{ name: 'notifications', state: 'off', detail: 'no channel is set up', advice: null }];
    if (failed === 0) return [ok('notifications', channels.join(', '))];
    return [
      warning(
        'notifications',
        `${failed} could not be sent${last === null ? '' : `: ${last}`}`,
        'Check the address and the token of the channel',
      ),
    ];
  }

  private async backups(): Promise<DoctorCheck[]> {
    const { backupSchedule: backups } = this.parts;
    if (backups === null) {
      return [warning('backups', 'backups are off', 'Set BACKUP_DIR, or run aish backup from time to time')];
    }
    const names = (await readdir(backups.dir)).filter((name) => name.endsWith('.tar.gz')).toSorted();
    const newest = names.at(-1);
    if (newest === undefined) return [warning('backups', `none in ${backups.dir} yet`, 'See the log of the api')];
    const hours = (Date.now() - (await stat(join(backups.dir, newest))).mtimeMs) / 3_600_000;
    const detail = `${names.length} kept, the newest is ${newest}`;
    if (hours <= backups.everyHours * 2) return [ok('backups', detail)];
    return [error('backups', `${detail}, ${Math.round(hours)} hours old`, 'See the log of the api')];
  }

  /** Compares the setup with the folder `config` of the knowledge base, if there is one. */
  private async config(): Promise<readonly DoctorCheck[]> {
    try {
      const drift = await this.configuration.drift(AbortSignal.timeout(CHECK_TIMEOUT_MS));
      if (drift === null) return [];
      if (drift.length === 0) return [ok('config', 'the setup is the same as in the knowledge base')];
      const some = drift.slice(0, 3).map(({ what }) => what);
      const detail = `${drift.length} differences from the knowledge base: ${some.join(', ')}`;
      return [warning('config', detail, 'Compare and apply: aish config apply DIR')];
    } catch (problem) {
      if (!isAishError(problem, 'invalid_body')) throw problem;
      return [error('config', problem.message, 'Correct this file in the folder config of the knowledge base')];
    }
  }
}

/** Runs one check. If it fails or takes too long, that is a finding, and the other checks continue. */
async function guarded(name: string, look: () => Promise<readonly DoctorCheck[]>): Promise<readonly DoctorCheck[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${CHECK_TIMEOUT_MS / 1000} s`)), CHECK_TIMEOUT_MS);
  });
  try {
    return await Promise.race([look(), late]);
  } catch (problem) {
    const detail = problem instanceof Error ? (problem.message.split('\n')[0] ?? '') : 'unknown';
    return [error(name, detail, 'Check that it is running, and read its log')];
  } finally {
    clearTimeout(timer);
  }
}

const KINDS = { docker: 'Docker', podman: 'Podman' } as const;
const TO_LIMIT =
  'Commands have no such limit. The engine needs cgroup v2 with delegated controllers: see docs/operate.md';
const WITHOUT: Readonly<Record<EngineCapabilityName, string>> = {
  layers: 'Changes are not reported, and undo copies whole workspaces: see docs/operate.md',
  undo: 'Set SNAPSHOTS_MAX_MB of the sandbox to the space that copies may take',
  memory: TO_LIMIT,
  cpus: TO_LIMIT,
  processes: TO_LIMIT,
  network: 'Commands with network or SSH are refused. Use an engine on the machine of the sandbox service',
  folders: 'Commands with host folders are refused. Use an engine on the machine of the sandbox service',
};

/** Returns one row for the engine, and one for each of its capabilities. */
function engineTable({ kind, version, runtime, rootless, address, capabilities }: EngineReport): DoctorCheck[] {
  const what = `${rootless ? 'rootless ' : ''}${KINDS[kind]} ${version}, ${runtime}, ${address}`;
  const rows = capabilities.map(({ name, state, detail }): DoctorCheck => {
    const row = `engine ${name}`;
    const why = detail === null ? '' : `: ${detail}`;
    if (state === 'untested') return { name: row, state: 'off', detail: 'not tested yet', advice: null };
    return state === 'yes' ? ok(row, `yes${why}`) : warning(row, `no${why}`, WITHOUT[name]);
  });
  return [ok('engine', what), ...rows];
}

/** Checks the host folders that commands may write to. */
function folders({ hostFolders, whyNoLayers, engine }: SandboxStatus): readonly DoctorCheck[] {
  const unseen = engine?.capabilities.find(({ name, state }) => name === 'folders' && state === 'no')?.detail ?? null;
  return hostFolders.flatMap(({ name, mode, whyNotHeld }) => {
    const what = `folder ${name}`;
    if (mode === 'read-only') return [];
    if (mode === 'direct') {
      return [warning(what, 'commands write to it directly, without preview and undo', TO_HOLD)];
    }
    const why = unseen ?? whyNotHeld ?? whyNoLayers;
    return [
      why === null
        ? ok(what, 'held: changes wait for your verdict')
        : error(what, `changes cannot be held: ${why}`, TO_OPEN),
    ];
  });
}

const TO_HOLD = 'Give it "mode":"held" in SANDBOX_HOST_FOLDERS';
const TO_OPEN = 'Commands that ask for it are refused. Set "mode":"read-only" or "direct" in SANDBOX_HOST_FOLDERS';

function ok(name: string, detail: string): DoctorCheck {
  return { name, state: 'ok', detail, advice: null };
}

function warning(name: string, detail: string, advice: string): DoctorCheck {
  return { name, state: 'warning', detail, advice };
}

function error(name: string, detail: string, advice: string): DoctorCheck {
  return { name, state: 'error', detail, advice };
}
