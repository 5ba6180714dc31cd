import type Docker from 'dockerode';
import { LABELS } from './container-spec.js';
import { newToken } from './launcher.js';

/** What the engine says about the container of a run. */
export interface ContainerState {
  readonly runId: string;
  readonly status: 'created' | 'running' | 'exited';
  readonly exitCode: number;
  readonly oomKilled: boolean;
  /** From start to end, milliseconds; to now while it runs. */
  readonly durationMs: number;
  readonly endedAt: Date;
  readonly deadline: Date | null;
  /** Of its launcher's marks. */
  readonly token: string;
  /** Whether it was given its command after its start. */
  readonly wasWarm: boolean;
  /** The variables it has by itself. */
  readonly env: readonly string[];
}

/** `found` in the words of this service. */
export function stateOf(runId: string, { State, Config }: Docker.ContainerInspectInfo): ContainerState {
  const isRunning = State.Running || State.Paused || State.Restarting;
  const startedAt = Date.parse(State.StartedAt);
  const endedAt = isRunning ? Date.now() : Date.parse(State.FinishedAt);
  const deadline = new Date(Config.Labels[LABELS.deadline] ?? '');
  return {
    runId,
    status: isRunning ? 'running' : State.Status === 'created' ? 'created' : 'exited',
    exitCode: State.ExitCode,
    oomKilled: State.OOMKilled,
    durationMs: Math.max(0, endedAt - startedAt) || 0,
    endedAt: new Date(endedAt),
    token: Config.Labels[LABELS.token] ?? newToken(),
    wasWarm: Config.Labels[LABELS.warm] !== undefined,
    env: Config.Env,
    deadline: Number.isNaN(deadline.getTime()) ? null : deadline,
  };
}
