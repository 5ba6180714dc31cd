import { setTimeout as sleep } from 'node:timers/promises';
import type { World } from '@aish/actions/testing';
import type { Actor } from './actor.js';
import { Chance } from './chance.js';
import { ChatSubject } from './chat.subject.js';
import { GoalSubject } from './goal.subject.js';
import { brokenRules } from './rules.js';
import { portsOf, type Setting } from './setting.js';
import { says, type Script } from './sim.model.js';
import { SimSandbox, SimTools, type FaultRates } from './sim.world.js';
import type { Subject } from './subject.js';

/**
 * The number of moves after which no more faults occur, and the number after which a session must have come to rest.
 */
const STORMY_MAX = 150;
const MOVES_MAX = 1_500;
/** The maximum time for a move. It detects a hang, not a slow move. */
const MOVE_MAX_MS = 30_000;
const AT_ONCE = 8;
/** Maximum number of bad sessions that are reported, because nobody reads more. */
const BAD_MAX = 3;

export interface Simulated {
  readonly seed: number;
  /** The moves of the session, in order. */
  readonly trace: readonly string[];
  /** Descriptions of the problems, each with the name of its rule. */
  readonly broken: readonly string[];
}

/** The differences from the real program, in tests of the simulation itself. */
export interface Plant {
  readonly ports?: (ports: World['ports']) => World['ports'];
  readonly db?: (db: World['db']) => World['db'];
}

/** Which sessions to simulate. */
interface Seeds {
  readonly first: number;
  readonly count: number;
  readonly plant?: Plant;
  /** Whether this bad session ends the whole run. If absent, the run ends after a few bad sessions. */
  readonly isEnough?: (bad: Simulated) => boolean;
}

/** Simulates sessions, several at once if requested. */
export class Simulation {
  private readonly models = new Map<string, ReturnType<typeof script>>();
  private count = 0;
  /** Returns the replies of the model in the shared world. */
  readonly script: Script = (messages, n) => {
    const name = messages.map(({ content }) => /do it[^,]*, (sim-\d+)/.exec(content ?? '')?.[1]).find(Boolean) ?? '';
    return this.models.get(name)?.(messages, n) ?? { text: `GOAL: blocked nobody knows ${name}` };
  };

  /**
   * Simulates as many sessions as requested, some in parallel. It ends early once there are enough bad ones.
   *
   * @returns the sessions that break a rule.
   */
  async runAll(world: World, { first, count, plant = {}, isEnough }: Seeds): Promise<readonly Simulated[]> {
    const bad: Simulated[] = [];
    const hasEnough = (): boolean => (isEnough === undefined ? bad.length >= BAD_MAX : bad.some(isEnough));
    let next = first;
    const work = async (): Promise<void> => {
      while (next < first + count && !hasEnough()) {
        const one = await this.run(world, next++, plant);
        if (one.broken.length > 0) bad.push(one);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return bad;
  }

  /** Runs one session, from its beginning until it rests. */
  async run(shipped: World, seed: number, plant: Plant = {}): Promise<Simulated> {
    const chance = new Chance(seed);
    const weather: FaultRates = { isCalm: false };
    const trace: string[] = [];
    const broken: string[] = [];
    const name = `sim-${(this.count += 1)}`;
    const sandbox = new SimSandbox(chance, weather, (command) => trace.push(`  begins ${command}`));
    const tools = new SimTools(chance, weather);
    this.models.set(name, script(chance, weather));
    const onError = (error: unknown): void => void broken.push(`nothing unforeseen happens: ${String(error)}`);
    const world = { ...shipped, db: plant.db?.(shipped.db) ?? shipped.db };
    const own = { ...portsOf(shipped, sandbox, tools), db: world.db };
    const ports = plant.ports?.(own) ?? own;
    const setting: Setting = { world, ports, chance, weather, sandbox, tools, name, onError };
    const subject = await (seed % 2 === 0 ? GoalSubject.begin(setting) : ChatSubject.begin(setting));
    try {
      await play(subject, setting, trace, broken);
      const situation = await subject.situation();
      broken.push(...(await brokenRules(world.db, subject.sessionId, { situation, sandbox, tools })));
      broken.push(...(await subject.beyond()));
    } catch (error) {
      broken.push(`nothing unforeseen happens: ${error instanceof Error ? error.stack : String(error)}`);
    } finally {
      subject.close();
      this.models.delete(name);
    }
    return { seed, trace, broken };
  }
}

/** Describes a session that somebody should look at, and says how to replay it. */
export function storyOf({ seed, trace, broken }: Simulated): string {
  return [`SEED=${seed}`, ...trace, ...broken.map((each) => `BROKEN ${each}`)].join('\n');
}

function script(chance: Chance, weather: FaultRates): Script {
  return () => says(chance, weather);
}

async function play(subject: Subject, setting: Setting, trace: string[], broken: string[]): Promise<void> {
  const { chance, weather, sandbox, tools, world } = setting;
  const stormy = chance.number('storm', 10, STORMY_MAX);
  let actors: Actor[] = [];
  let count = 0;
  const add = (): Actor => {
    const actor = subject.runner(`d${(count += 1)}`);
    actors.push(actor);
    trace.push(`${actor.name} comes`);
    return actor;
  };
  for (let move = 0; broken.length === 0; move += 1) {
    if (move >= MOVES_MAX) return void broken.push(`it comes to rest: not within ${MOVES_MAX} moves`);
    if (move === stormy) trace.push('the world heals');
    weather.isCalm = move >= stormy;
    actors = actors.filter(({ isOver }) => !isOver);
    if (!weather.isCalm && chance.is('act', 0.1)) {
      trace.push(await inTime(chance.pick('which act', subject.acts)(), 'an act'));
      const newcomer = subject instanceof ChatSubject ? subject.takeNewcomer() : null;
      if (newcomer !== null && !newcomer.isOver) actors.push(newcomer);
      await subject.differs(null);
      continue;
    }
    if (actors.length === 0) {
      const situation = await subject.situation();
      broken.push(...(await brokenRules(world.db, subject.sessionId, { situation, sandbox, tools })));
      trace.push(`it ${situation}`);
      if (situation === 'rests' && (weather.isCalm || chance.is('leave it', 0.5))) return;
      if (situation === 'goes on') add();
      else if (situation === 'asks') trace.push(await subject.answer());
      else trace.push(await subject.goOn());
      await subject.differs(null);
      continue;
    }
    if (!weather.isCalm && actors.length < 3 && chance.is('again', 0.05)) add();
    const [first, ...others] = actors;
    if (first === undefined) continue;
    const actor = chance.pick('who', [first, ...others]);
    if (await go(actor, setting, trace)) broken.push(...(await subject.differs(actor)));
  }
}

/**
 * Makes one move of one actor.
 *
 * @returns false if the actor does not move.
 */
async function go(actor: Actor, { chance, weather }: Setting, trace: string[]): Promise<boolean> {
  const fate = weather.isCalm ? 'goes' : fateOf(chance);
  if (fate === 'is stopped for a while') await actor.locks.lose();
  if (fate !== 'goes') trace.push(`${actor.name} ${fate}`);
  if (fate === 'is stopped for a while') return false;
  await inTime(fate === 'dies' ? actor.die() : actor.step(), `${actor.name} after ${actor.boundary}`);
  trace.push(`${actor.name} ${actor.isOver ? 'has left' : actor.boundary}`);
  if (actor.failure !== null) throw actor.failure;
  return true;
}

function fateOf(chance: Chance): 'goes' | 'dies' | 'is stopped for a while' {
  const drawn = chance.number('fate', 0, 20);
  return drawn === 0 ? 'dies' : drawn === 1 ? 'is stopped for a while' : 'goes';
}

async function inTime<T>(work: Promise<T>, what: string): Promise<T> {
  const late = new AbortController();
  const limit = sleep(MOVE_MAX_MS, undefined, { signal: late.signal }).then(() => {
    throw new Error(`${what} hangs`);
  });
  limit.catch(() => undefined);
  return Promise.race([work, limit]).finally(() => late.abort());
}
