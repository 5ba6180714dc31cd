import { describe, expect, it } from '@jest/globals';
import { runUpgrade, compareVersions, removeCopy, wantedUpgrade, type Sql, type UpgradeJournal } from './upgrade.js';

const OLD = { at: '/old', version: '0.1.0' };
const NEW = { at: '/new', version: '0.2.0' };

/** The process is killed at one of its calls, before or after the effect. */
class Killed extends Error {}

/** A machine with an installation. Its databases, its link and its journal survive a kill. */
class Machine {
  readonly databases = new Map([['aish', 'old data']]);
  journal: UpgradeJournal = wantedUpgrade(NEW, '/backup');
  chosen = OLD;
  runs = OLD;
  private calls = 0;
  private isDead = false;

  constructor(
    private readonly isNewGood: boolean,
    private readonly killAt: number,
  ) {}

  /** Carries out the upgrade, again after a kill. */
  async upgrade(): Promise<UpgradeJournal> {
    const place = {
      old: OLD,
      withDatabaseAlone: <T>(work: (sql: Sql) => Promise<T>) => work((_, statement) => this.sql(statement)),
      tryNew: () =>
        this.effect(() => {
          this.databases.set('aish', 'new data');
          if (this.isNewGood) this.runs = NEW;
          return this.isNewGood ? null : 'it ended';
        }),
      choose: (release: typeof OLD) => this.effect(() => void (this.chosen = release)),
      save: (next: UpgradeJournal) => this.effect(() => void (this.journal = next)),
      say: () => undefined,
    };
    try {
      return await runUpgrade(this.journal, place);
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      this.isDead = false;
      return this.upgrade();
    }
  }

  get callsMade(): number {
    return this.calls;
  }

  readonly sql = (statement: string): Promise<readonly string[]> =>
    this.effect(() => {
      const { databases } = this;
      for (const each of statement.split(';').map((text) => text.trim())) {
        const [, dropped] = /^drop database if exists (\w+)/.exec(each) ?? [];
        if (dropped !== undefined) databases.delete(dropped);
        const [, copy, template] = /^create database (\w+) template (\w+)/.exec(each) ?? [];
        if (copy !== undefined && template !== undefined) databases.set(copy, String(databases.get(template)));
        const [, from, to] = /^alter database (\w+) rename to (\w+)/.exec(each) ?? [];
        if (from !== undefined && to !== undefined) {
          if (databases.has(to)) throw new Error(`${to} exists`);
          databases.set(to, String(databases.get(from)));
          databases.delete(from);
        }
      }
      const [, looked] = /where datname = '(\w+)'/.exec(statement) ?? [];
      if (looked !== undefined) return databases.has(looked) ? ['1'] : [];
      if (statement === 'select now()::text') return ['2026-01-01 00:00:00+00'];
      return statement.startsWith('select line') ? ['goal g2: a new one'] : [];
    });

  private async effect<T>(act: () => T): Promise<T> {
    const at = this.calls++;
    this.isDead ||= at === this.killAt;
    if (this.isDead) throw new Killed();
    const done = act();
    this.isDead = at + 0.5 === this.killAt;
    if (this.isDead) throw new Killed();
    return done;
  }
}

/** Runs an upgrade once for each point at which it can be killed. */
async function killedEverywhere(isNewGood: boolean, check: (machine: Machine, over: UpgradeJournal) => void) {
  const whole = new Machine(isNewGood, -1);
  check(whole, await whole.upgrade());
  for (let at = 0; at < whole.callsMade; at += 0.5) {
    const machine = new Machine(isNewGood, at);
    check(machine, await machine.upgrade());
  }
  return whole.callsMade;
}

describe('an upgrade', () => {
  it('an upgrade that is killed at any point ends with the new version and the migrated database', async () => {
    const points = await killedEverywhere(true, (machine, over) => {
      expect(over).toMatchObject({ step: 'done', from: OLD, to: NEW });
      expect([machine.runs, machine.chosen, machine.databases.get('aish')]).toEqual([NEW, NEW, 'new data']);
    });
    expect(points).toBeGreaterThan(6);
  });

  it('an upgrade to a failing version ends with the old database wherever it is killed, and lists what was added since', async () => {
    const points = await killedEverywhere(false, (machine, over) => {
      expect(over).toMatchObject({ step: 'undone', from: OLD, why: 'it ended', came: ['goal g2: a new one'] });
      expect([machine.chosen, Object.fromEntries(machine.databases)]).toEqual([
        OLD,
        { aish: 'old data', aish_failed_upgrade: 'new data' },
      ]);
    });
    expect(points).toBeGreaterThan(10);
  });

  it('a database that cannot be copied ends the upgrade before anything has changed', async () => {
    const machine = new Machine(true, -1);
    const over = await runUpgrade(machine.journal, {
      old: OLD,
      withDatabaseAlone: (work) =>
        work((_, statement) =>
          statement.startsWith('create') ? Promise.reject(new Error('no space left')) : machine.sql(statement),
        ),
      tryNew: () => Promise.reject(new Error('the new version was started')),
      choose: () => Promise.resolve(),
      save: () => Promise.resolve(),
      say: () => undefined,
    });
    expect(over).toMatchObject({ step: 'undone', why: 'the database cannot be copied: no space left' });
  });

  it('the copy is removed after a successful upgrade', async () => {
    const machine = new Machine(true, -1);
    await machine.upgrade();
    await removeCopy((_, statement) => machine.sql(statement));
    expect([...machine.databases.keys()]).toEqual(['aish']);
  });
});

describe('versions', () => {
  it('versions are compared by their numbers', () => {
    expect(compareVersions('0.9.0', '0.10.0')).toBeLessThan(0);
    expect(compareVersions('1.0.0', '1.0.0')).toBe(0);
  });
});
