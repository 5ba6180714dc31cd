import { FakeSandbox, FakeTools, HOME } from '@aish/actions/testing';
import { AishError } from '@aish/contracts/problems';
import type { RunStatus } from '@aish/contracts/runs';
import type { Chance } from './chance.js';

/** Whether faults occur. Once the weather is calm, nothing fails any more. */
export interface FaultRates {
  isCalm: boolean;
}

/** A sandbox that is sometimes unavailable, whose streams break and that forgets runs. */
export class SimSandbox extends FakeSandbox {
  /** Every start of a command, in order. */
  readonly begun: { readonly runId: string; readonly command: string }[] = [];
  /** The verdicts on the changes of commands, by run ID. */
  readonly verdicts: { readonly runId: string; readonly verdict: string }[] = [];
  private readonly forgotten = new Set<string>();

  /** @param onBegin is called when a command begins. */
  constructor(
    private readonly chance: Chance,
    private readonly weather: FaultRates,
    private readonly onBegin: (command: string) => void,
  ) {
    super();
    if (chance.is('layers', 0.5)) this.nextContext = { ...HOME, undoable: true };
    this.isInUse = chance.is('in use', 0.1);
  }

  override async *run(request: Parameters<FakeSandbox['run']>[0]): ReturnType<FakeSandbox['run']> {
    this.mayBeUnavailable('run');
    const { runId, command } = request;
    // The sandbox runs a forgotten command as if it were new.
    const known = this.forgotten.has(runId) ? `${runId} again` : runId;
    this.breaksOff = this.goesWrong('break', 0.08);
    const frames = super.run({ ...request, runId: known })[Symbol.asyncIterator]();
    for (;;) {
      const before = this.ran.length;
      const { done, value } = await frames.next().finally(() => {
        if (this.ran.length > before) this.begins(runId, command);
      });
      if (done === true) return;
      yield value;
      if (value.type === 'output' && this.goesWrong('cut', 0.04)) {
        throw new AishError('sandbox_interrupted', 'The stream broke off');
      }
    }
  }

  override async status(runId: string): Promise<RunStatus | null> {
    this.mayBeUnavailable('status');
    if (this.goesWrong('forget', 0.1)) this.forgotten.add(runId);
    return this.forgotten.has(runId) ? null : super.status(runId);
  }

  override async executionContext(): ReturnType<FakeSandbox['executionContext']> {
    this.mayBeUnavailable('look');
    if (this.goesWrong('change', 0.04)) this.nextContext = { ...this.nextContext, digest: '1'.repeat(64) };
    return super.executionContext();
  }

  override async settle(...[workspaceId, runId, verdict]: Parameters<FakeSandbox['settle']>): Promise<void> {
    this.mayBeUnavailable('settle');
    this.verdicts.push({ runId, verdict });
    return super.settle(workspaceId, runId, verdict);
  }

  private begins(runId: string, command: string): void {
    this.begun.push({ runId, command });
    this.onBegin(command);
  }

  private mayBeUnavailable(site: string): void {
    if (this.goesWrong(`away ${site}`, 0.06)) throw new AishError('sandbox_unreachable', 'The sandbox is away');
  }

  private goesWrong(what: string, share: number): boolean {
    return !this.weather.isCalm && this.chance.is(`sandbox ${what}`, share);
  }
}

/** Tools that sometimes lose an answer, and whose tasks take a while. */
export class SimTools extends FakeTools {
  /** Each call that is not read-only. `isResumed` means that the call continues with the answers to its questions. */
  readonly made: { readonly callId: string; readonly name: string; readonly isResumed: boolean }[] = [];

  constructor(
    private readonly chance: Chance,
    private readonly weather: FaultRates,
  ) {
    super();
  }

  override async call(...args: Parameters<FakeTools['call']>): ReturnType<FakeTools['call']> {
    const [{ id: callId, name }, , , options] = args;
    if (name.endsWith('read_sign')) return super.call(...args);
    this.made.push({ callId, name, isResumed: options?.resume !== undefined });
    const answer = await super.call(...args);
    if (this.goesWrong('lost', 0.15)) throw new AishError('mcp_lost', 'Nobody knows what it did');
    return answer;
  }

  override askAfter(...args: Parameters<FakeTools['askAfter']>): ReturnType<FakeTools['askAfter']> {
    const { answers = {} } = args[0];
    const isAnswered = Object.keys(answers).length > 0 || this.weather.isCalm;
    this.looks = [isAnswered ? 'stands' : this.chance.pick('look', ['goes on', 'asks', 'stands'])];
    return super.askAfter(...args);
  }

  private goesWrong(what: string, share: number): boolean {
    return !this.weather.isCalm && this.chance.is(`tool ${what}`, share);
  }
}
