import type { JobResult } from './result.js';
import type { RunHead } from './run-folder.js';
import { byKind, summaryOf, tableOf } from './summary.js';

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a}
table{border-collapse:collapse;margin:1rem 0;font-size:13px}td,th{padding:.2rem .6rem;border-bottom:1px solid #ddd;text-align:right}
td:first-child,th:first-child{text-align:left}svg text{font-size:12px;fill:#333}.bad{color:#b00020}
@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}td,th{border-color:#333}svg text{fill:#ccc}.bad{color:#ff8a80}}`;
const COLOURS = ['#2a9d5c', '#d9a520', '#c0392b', '#4a78c2'];
const [LABEL_WIDTH, PLOT_WIDTH, ROW] = [190, 620, 24];

interface Bar {
  readonly label: string;
  /** The lengths of the parts, in the order of the legend. */
  readonly parts: readonly number[];
}

/** Returns a run as one self-contained page. */
export function pageOf(head: RunHead, results: readonly JobResult[]): string {
  const { jobs, solved } = summaryOf(results);
  const kinds = byKind(results).slice(0, -1);
  const models = [...new Set(results.flatMap(({ model }) => model ?? []))].join(', ') || 'no model';
  const sums = kinds.map(([kind, each]) => ({ kind, ...summaryOf(each) }));
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>aish jobs: ${solved} of ${jobs} solved</title><style>${STYLE}</style>
<h1>${solved} of ${jobs} jobs solved</h1>
<p>${escape(models)}, preset ${escape(head.preset ?? 'of the space')}, trust ${head.trust}, aish ${escape(head.aish)}, ${escape(head.at)}.</p>
${table(tableOf(results))}
${plot('Jobs', ['solved', 'not solved', 'said done, was not'], sums.map((each) => ({ label: each.kind, parts: [each.solved, each.jobs - each.solved - each.wrong, each.wrong] })))}
${plot('Questions', ['needed', 'needless', 'refused'], sums.map(({ kind, needed, needless, refused }) => ({ label: kind, parts: [needed, needless, refused] })))}
${plot('Tokens', ['read', 'of these read again', 'written'], sums.map(({ kind, tokensRead, tokensAgain, tokensWritten }) => ({ label: kind, parts: [tokensRead - tokensAgain, tokensAgain, tokensWritten] })))}
${plot('Seconds', ['a job, with its person'], results.map(({ job, wallMs }) => ({ label: job, parts: [wallMs / 1000] })))}
<h2>Job by job</h2>
${table([
  ['job', 'goal', 'state', 'solved', 'asked', 'needless', 'lost', 'steps', 'seconds', 'why'],
  ...results.map((each) => [
    each.job, String(each.goal ?? ''), each.state, each.solved ? 'yes' : 'no', String(each.needed + each.needless),
    String(each.needless), String(each.lost), String(each.steps), (each.wallMs / 1000).toFixed(1), each.solved ? '' : each.why,
  ]),
])}
</html>
`; // prettier-ignore
}

function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  const cells = (row: readonly string[], tag: string) =>
    `<tr>${row.map((cell) => `<${tag}${cell === 'no' ? ' class="bad"' : ''}>${escape(cell)}</${tag}>`).join('')}</tr>`;
  return `<table>${cells(head, 'th')}${rows.map((row) => cells(row, 'td')).join('')}</table>`;
}

function plot(title: string, legend: readonly string[], bars: readonly Bar[]): string {
  const longest = Math.max(1, ...bars.map(({ parts }) => parts.reduce((sum, part) => sum + part, 0)));
  const rows = bars.map((bar, n) => row(bar, n * ROW, PLOT_WIDTH / longest));
  const keys = legend.map((name, n) => `<span style="color:${COLOURS[n]}">■</span> ${escape(name)}`).join(' &nbsp; ');
  const [width, height] = [LABEL_WIDTH + PLOT_WIDTH + 90, bars.length * ROW];
  return `<h2>${escape(title)}</h2><p>${keys}</p><svg role="img" aria-label="${escape(title)}" viewBox="0 0 ${width} ${height}">${rows.join('')}</svg>`;
}

function row({ label, parts }: Bar, y: number, scale: number): string {
  let x = LABEL_WIDTH;
  const rects = parts.map((part, n) => {
    const width = Math.max(0, part * scale);
    const rect = `<rect x="${x.toFixed(1)}" y="${y + 3}" width="${width.toFixed(1)}" height="${ROW - 8}" fill="${COLOURS[n]}"/>`;
    x += width;
    return rect;
  });
  const values = parts.map((part) => Math.round(part * 10) / 10).join(' · ');
  return `<text x="0" y="${y + 16}">${escape(label)}</text>${rects.join('')}<text x="${(x + 6).toFixed(1)}" y="${y + 16}">${values}</text>`;
}

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => ESCAPED[character] ?? character);
