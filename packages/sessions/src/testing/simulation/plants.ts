import type { World } from '@aish/actions/testing';
import { isAishError } from '@aish/contracts/problems';
import { Statements } from '@aish/database/statements';
import type { Plant } from './simulate.js';

type Ports = World['ports'];
type Change = (text: string) => string;

/** Runners with one fault each, and the rule that detects it. */
export const PLANTS: Readonly<Record<string, { readonly rule: RegExp; readonly plant: Plant }>> = {
  'writes although another runner has the session': {
    rule: /same after reload|told once|has one end/,
    plant: statements((text) => text.replace(/epoch = coalesce\((\$\d+)::int, epoch\)/g, 'epoch >= least(0, $1::int)')),
  },
  'accepts two verdicts on one decision': {
    rule: /one verdict/,
    plant: statements((text) => (text.includes('decided_by =') ? text.replace("and state = 'pending'", '') : text)),
  },
  'does not withdraw questions at the end': {
    rule: /left open/,
    plant: statements((text) => text.replace(/(set state = 'withdrawn'[^]*)and state = 'pending'/, '$1and false')),
  },
  'does not record that an action has started': {
    rule: /same after reload|on record as started/,
    plant: statements(
      (text) => text,
      (value) => value.replaceAll('"state":"started"', '"state":"pending"'),
    ),
  },
  'starts an orphaned run again': { rule: /begins twice/, plant: { ports: beginsAgain } },
  'keeps changes that a person wants rolled back': {
    rule: /kept without a verdict/,
    plant: {
      ports: (ports) => ({
        ...ports,
        sandbox: over(ports.sandbox, {
          settle:
            (of) =>
            (...[id, run, , signal]) =>
              of.settle(id, run, 'keep', signal),
        }),
      }),
    },
  },
  'treats everything as safe': {
    rule: /destroys nothing without a person/,
    plant: { ports: (ports) => ({ ...ports, gate: over(ports.gate, { judge: () => async () => SAFE }) }) },
  },
  'repeats a tool call whose answer is lost': { rule: /made once/, plant: { ports: callsAgain } },
};

const SAFE = { verdict: 'safe', reason: null, ruleId: null, span: null, by: 'rule' } as const;

function beginsAgain(ports: Ports): Ports {
  const asked = new Map<string, Parameters<Ports['sandbox']['run']>[0]>();
  const sandbox = over(ports.sandbox, {
    run: (of) => (request, signal) => {
      asked.set(request.runId, request);
      return of.run(request, signal);
    },
    status: (of) => async (runId, signal) => {
      const request = asked.get(runId);
      const known = await of.status(runId, signal);
      if (known !== null || request === undefined) return known;
      for await (const frame of of.run(request, signal)) {
        if (frame.type === 'exit') return { runId, state: 'ended', outcome: frame.outcome, connections: [] };
      }
      return null;
    },
  });
  return { ...ports, sandbox };
}

function callsAgain(ports: Ports): Ports {
  const toolbox = over(ports.toolbox, {
    call:
      (of) =>
      async (...args) => {
        try {
          return await of.call(...args);
        } catch (error) {
          if (isAishError(error, 'mcp_lost')) return of.call(...args);
          throw error;
        }
      },
  });
  return { ...ports, toolbox };
}

/** Returns the same object with some methods replaced. */
function over<T extends object>(of: T, methods: { readonly [K in keyof T]?: (of: T) => T[K] }): T {
  return new Proxy(of, {
    get(target, name: string & keyof T) {
      const other = methods[name];
      if (other !== undefined) return other(target);
      const own = target[name];
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });
}

/** Changes the text and the values of every statement. */
function statements(change: Change, changeValue: Change = (value) => value): Plant {
  const changed = (statement: unknown): unknown => {
    const isNamed = typeof statement === 'object' && statement !== null && 'text' in statement && 'values' in statement;
    if (!isNamed || !Array.isArray(statement.values)) return statement;
    const values = statement.values.map((value: unknown) => (typeof value === 'string' ? changeValue(value) : value));
    // With a name, the database would run the original statement that it has prepared.
    return { ...statement, name: undefined, text: change(String(statement.text)), values };
  };
  const rewritten = <T extends object>(of: T): T =>
    new Proxy(of, {
      get(target, name: string & keyof T) {
        const own = target[name];
        if (typeof own !== 'function') return own;
        return (...args: unknown[]) =>
          own.apply(target, name === 'query' ? [changed(args[0]), ...args.slice(1)] : args);
      },
    });
  return {
    db: (db) => ({
      ...db,
      statements: new Statements(rewritten(db.pool)),
      pool: over(db.pool, { connect: (of) => async () => rewritten(await of.connect()) }),
    }),
  };
}
