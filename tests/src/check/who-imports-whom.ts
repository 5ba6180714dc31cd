/** The parts of dependency-cruiser's JSON that the check uses. */
export interface Cruised {
  readonly modules: readonly {
    readonly source: string;
    readonly dependencies: readonly { readonly resolved: string }[];
  }[];
  readonly summary: {
    readonly violations: readonly { readonly from: string; readonly to: string; readonly rule: { name: string } }[];
  };
}

/** The imports of each package, sorted: `packages/chat` -> `packages/broker`, … */
export type Arrows = ReadonlyMap<string, readonly string[]>;

const FOLDER = /^(?:packages|services|clients)\/[^/]+|^deploy\/[^/]+(?=\/src\/)/;
const TEST_CODE = /\.spec\.ts$|\.contract\.ts$|\.fixture\.ts$|\/testing\//;
const OFFLINE = 'packages/knowledge/src/offline.ts';

/** Returns the imports between shipped packages, without tests and their helpers. */
export function arrowsOf({ modules }: Cruised): Arrows {
  const arrows = new Map<string, Set<string>>();
  for (const { source, dependencies } of modules) {
    const from = FOLDER.exec(source)?.[0];
    if (from === undefined || TEST_CODE.test(source)) continue;
    const to = arrows.get(from) ?? new Set();
    arrows.set(from, to);
    for (const { resolved } of dependencies) {
      const target = resolved === OFFLINE ? 'packages/knowledge/offline' : FOLDER.exec(resolved)?.[0];
      if (target !== undefined && target !== from && !target.startsWith(`${from}/`)) to.add(target);
    }
  }
  return new Map([...arrows].map(([from, to]) => [from, [...to].toSorted()] as const).toSorted(byName));
}

export const BEGIN = '<!-- imports: `npm run boundaries` makes this list, `npm run check` compares it -->';
export const END = '<!-- /imports -->';

/** Returns the list of docs/architecture.md, with a line for each package that imports more than `contracts`. */
export function importsList(arrows: Arrows): string {
  const shortened = [...arrows].map(([from, to]) => {
    const others = to.filter((each) => each !== 'packages/contracts').map((each) => each.replace('packages/', ''));
    return { from, others, usesContracts: to.includes('packages/contracts') };
  });
  const more = shortened.filter(({ others }) => others.length > 0);
  const named = (which: typeof shortened) => which.map(({ from }) => `\`${from}\``).join(', ');
  const less = shortened.filter(({ others }) => others.length === 0);
  return [
    BEGIN,
    ...more.map(({ from, others }) => `- \`${from}\` → ${others.join(', ')}`),
    `- \`contracts\` alone: ${named(less.filter(({ usesContracts }) => usesContracts))}`,
    `- nothing of ours: ${named(less.filter(({ usesContracts }) => !usesContracts))}`,
    END,
  ].join('\n');
}

/** Returns `page` with the list between its two marks. @throws Error if the marks are missing */
export function withImportsList(page: string, arrows: Arrows): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error(`there are no lines ${BEGIN} and ${END}`);
  return page.slice(0, begin) + importsList(arrows) + page.slice(end + END.length);
}

/** Returns allowed imports that nobody uses, because they would let a boundary disappear unnoticed. */
export function unused(allowed: Readonly<Record<string, readonly string[]>>, arrows: Arrows): string[] {
  return Object.entries(allowed).flatMap(([from, others]) => {
    const real = arrows.get(`packages/${from}`) ?? [];
    return others.filter((other) => !real.includes(`packages/${other}`)).map((other) => `${from} → ${other}`);
  });
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
