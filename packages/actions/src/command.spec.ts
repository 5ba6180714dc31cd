import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { LiveBody } from '@aish/contracts/events';
import { AishError, type ProblemCode } from '@aish/contracts/problems';
import { SAFE_ANYWHERE, recoverCommand, runCommand, type Command } from './command.js';
import type { ActionContext } from './context.js';
import { killCommands } from './kill.js';
import { CONNECTIONS, FakeSandbox } from './testing/fake.sandbox.js';

const never = new AbortController().signal;
const commandOf = (command: string): Command => ({ kind: 'command', id: randomUUID(), command, state: 'started' });

function contextOf(lives: LiveBody[] = []): ActionContext {
  return {
    session: { sessionId: randomUUID(), owner: 'p', goalId: null },
    step: 1,
    stepBudget: null,
    words: '',
    hostFolders: [],
    hosts: [],
    commandTimeoutMs: 1_000,
    elicitationWaitMs: 1_000,
    haltExpiry: null,
    permissions: {
      confirmCommands: false,
      trust: 'ask',
      autoApproves: () => false,
      toolGrants: () => Promise.resolve([]),
      grantFor: () => Promise.resolve(null),
      forbidsGrants: () => Promise.resolve(false),
      grantForVariables: () => Promise.resolve(null),
    },
    live: (body) => lives.push(body),
    write: () => Promise.resolve(),
    at: () => Promise.resolve(),
  };
}

/** A sandbox that refuses everything with a given error. */
class Refusing extends FakeSandbox {
  constructor(private readonly error: AishError) {
    super();
  }
  override async *run(): ReturnType<FakeSandbox['run']> {
    yield* await Promise.reject<never[]>(this.error);
  }
  override status(): Promise<never> {
    return Promise.reject(this.error);
  }
}

describe('the answer of the sandbox to a command', () => {
  it('the runner gets the end of a command, its connections and its live output', async () => {
    const lives: LiveBody[] = [];
    const action = commandOf('echo hi');
    const ran = await runCommand(action, SAFE_ANYWHERE, contextOf(lives), new FakeSandbox(), never);
    expect(ran).toMatchObject({
      kind: 'ran',
      actionId: action.id,
      outcome: { exitCode: 0, output: 'hi\n' },
      connections: CONNECTIONS,
    });
    expect(lives).toEqual([
      { type: 'action.output', goalId: null, actionId: action.id, stream: 'stdout', text: 'hi\n' },
    ]);
  });

  it.each<[ProblemCode, string]>([
    ['sandbox_unreachable', 'away, not begun'],
    ['engine_unavailable', 'away, not begun'],
    ['image_missing', 'away, not begun'],
    ['runtime_missing', 'away, not begun'],
    ['disk_full', 'away, not begun'],
    ['too_many', 'away, not begun'],
    ['mount_missing', 'away, not begun'],
    ['service_stopping', 'away, not begun'],
    ['unauthorized', 'away, not begun'],
    ['sandbox_interrupted', 'away, begun'],
    ['internal', 'away, begun'],
    ['command_too_long', 'refused'],
    ['invalid_body', 'refused'],
    ['mount_not_allowed', 'refused'],
    ['network_full', 'refused'],
    ['payload_too_large', 'refused'],
    ['run_lost', 'lost'],
  ])('after the sandbox error %s, the state of a command is: %s', async (code, expected) => {
    const sandbox = new Refusing(new AishError(code, 'no', { retryAfterS: 3 }));
    const ran = await runCommand(commandOf('ls'), SAFE_ANYWHERE, contextOf(), sandbox, never);
    const ending = 'type' in ran ? `away, ${ran.began ? 'begun' : 'not begun'}` : ran.kind;
    expect(ending).toBe(expected);
    if ('type' in ran) expect(ran).toMatchObject({ what: 'sandbox', reason: `${code}: no`, retryAfterMs: 3_000 });
    // The runner asks for the result of a command only if the command started, even if the sandbox cannot answer now.
    const recovered = await recoverCommand(commandOf('ls'), contextOf(), sandbox, never);
    if ('type' in recovered) expect(recovered.began).toBe(true);
    else expect(recovered.kind).toBe(expected);
  });

  it('an error that stops the runner is passed on unchanged', async () => {
    const stopped = new Refusing(new AishError('aborted', 'stop'));
    await expect(runCommand(commandOf('ls'), SAFE_ANYWHERE, contextOf(), stopped, never)).rejects.toMatchObject({
      code: 'aborted',
    });
    await expect(recoverCommand(commandOf('ls'), contextOf(), stopped, never)).rejects.toMatchObject({
      code: 'aborted',
    });
  });
});

describe('a command that was started before', () => {
  it('a started command is taken over with its outcome and connections, and does not run again', async () => {
    const sandbox = new FakeSandbox();
    const action = commandOf('echo hi');
    const first = await runCommand(action, SAFE_ANYWHERE, contextOf(), sandbox, never);
    expect(await recoverCommand(action, contextOf(), sandbox, never)).toEqual(first);
    expect(sandbox.ran).toEqual(['echo hi']);
  });

  it('the outcome of a started command is found even if its stream has broken off', async () => {
    const sandbox = new FakeSandbox();
    const action = commandOf('echo hi');
    await runCommand(action, SAFE_ANYWHERE, contextOf(), sandbox, never);
    sandbox.breaksOff = true;
    expect(await recoverCommand(action, contextOf(), sandbox, never)).toMatchObject({
      kind: 'ran',
      outcome: { output: 'hi\n' },
    });
  });

  it('a started command is lost if the sandbox does not know the command or how it ended', async () => {
    const sandbox = new FakeSandbox();
    const unknown = commandOf('echo hi');
    expect(await recoverCommand(unknown, contextOf(), sandbox, never)).toEqual({ kind: 'lost', actionId: unknown.id });
    const vanished = commandOf('vanish');
    await runCommand(vanished, SAFE_ANYWHERE, contextOf(), sandbox, never);
    expect(await recoverCommand(vanished, contextOf(), sandbox, never)).toMatchObject({
      kind: 'lost',
      connections: CONNECTIONS,
    });
    expect(sandbox.ran).toEqual(['vanish']);
  });

  it('a person can kill a started command, and its end is unknown if the sandbox is unavailable', async () => {
    const sandbox = new FakeSandbox();
    const [first, unknown] = [commandOf('echo hi'), commandOf('echo no')];
    await runCommand(first, SAFE_ANYWHERE, contextOf(), sandbox, never);
    expect(await killCommands(sandbox, [first.id, unknown.id])).toMatchObject({
      outcomes: { [first.id]: { cancelled: true } },
      connections: { [first.id]: CONNECTIONS },
    });
    sandbox.isUnavailable = true;
    expect(await killCommands(sandbox, [first.id])).toEqual({ outcomes: {}, connections: {} });
  });
});
