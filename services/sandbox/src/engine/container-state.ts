import type Docker from 'dockerode';
import { LABELS } from './container-spec.js';
import { newToken } from './launcher.js';

/** The state of a run's container as reported by the engine. */
export interface ContainerState {
  readonly runId: string;
  readonly status: 'created' | 'running' | 'exited';
  readonly exitCode: number;
  readonly oomKilled: boolean;
  /** Milliseconds from the start to the end of the container, or until now while it runs. */
  readonly durationMs: number;
  readonly endedAt: Date;
  readonly deadline: Date | null;
  /** The secret in the marks of the container's launcher. */
  readonly token: string;
  /** Whether the container was already running when it received its command. */
  readonly wasWarm: boolean;
  /** The variables that the container had before the command added its own. */
  readonly env: readonly string[];
}

/** Converts the engine's answer to a container state. */
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
