import { read } from '../classify.js';
import { HOLE, type Command } from '../shell/command.js';

/** The words that call a container engine, including the options that select one: `docker --context nas`. */
type Engine = readonly string[];

/** Something on a host that an approved command is about to stop, remove or restart. */
export type EvidenceSubject =
  | { readonly kind: 'unit'; readonly name: string; readonly ofUser: boolean }
  | { readonly kind: 'container'; readonly engine: Engine; readonly name: string }
  | {
      readonly kind: 'compose';
      /** The engine with the options that choose the project: `docker compose -f a.yml`. */
      readonly engine: Engine;
      /** The folder with the project; null for the folder where the command starts. */
      readonly folder: string | null;
      /** The services that the command names; empty for all services. */
      readonly services: readonly string[];
    }
  | { readonly kind: 'process'; readonly by: 'id' | 'name'; readonly name: string }
  | { readonly kind: 'host' };

const HOST: EvidenceSubject = { kind: 'host' };
const SUBJECTS_MAX = 4;

/** Programs that run commands in the shell of another machine. */
const AWAY = /^(ssh|sshpass|mosh|kubectl|oc)$/;
/** Programs that run commands inside a guest of the host. The units and processes in the guest are not the host's. */
const INSIDE = /^(pct|lxc|incus|chroot|nsenter|machinectl|systemd-nspawn|arch-chroot)$/;

const UNIT_VERBS =
  /^(restart|stop|kill|reload|try-restart|condrestart|reload-or-restart|try-reload-or-restart|force-reload|reset-failed|freeze)$/;
const MACHINE_VERBS = /^(reboot|poweroff|halt|kexec|soft-reboot|rescue|emergency|isolate|suspend|hibernate)$/;
const UNIT_VALUES = /^(-H|--host|-M|--machine|-s|--signal|--kill-whom|--kill-who|-n|--lines|-p|--property|-t|--type|-o|--output|--job-mode|--when|--root)$/; // prettier-ignore
const SERVICE_VERBS = /^(restart|stop|reload|force-reload|condrestart|try-restart|reload-or-restart|zap)$/;
const SV_VERBS = /^(restart|stop|shutdown|kill|reload|down|term|hup|exit|quit|int|force-\w+|try-restart|[dehkqtix12])$/;
const CONTAINER_VERBS = /^(restart|stop|kill|rm|remove)$/;
const CONTAINER_VALUES = /^(-t|--time|--timeout|-s|--signal)$/;
const ENGINE_VALUES = /^(-H|--host|-c|--context|--config|-l|--log-level|--connection|--url|--root|--runroot)$/;
const COMPOSE_VERBS = /^(restart|stop|kill|rm|down|up)$/;
const COMPOSE_OPTIONS = /^(-f|--file|-p|--project-name|--profile|--env-file|--project-directory|--ansi|--progress|--parallel)$/; // prettier-ignore
const COMPOSE_VALUES = /^(-t|--timeout|-s|--signal|--scale|--exit-code-from|--attach|--no-attach|--pull|--rmi|--wait-timeout)$/; // prettier-ignore
const MATCH_VALUES = /^(-u|-U|-g|-G|-P|-s|-t|-o|-y|-F|--euid|--uid|--group|--pgroup|--parent|--session|--terminal|--signal|--pidfile|--user|--older-than|--younger-than)$/; // prettier-ignore

/**
 * Returns the subjects on a host that a command line restarts, stops, kills, removes or recreates. aish reads the logs
 * and state of these subjects first, because they may be gone afterwards. If the text does not name the subject, the
 * subject is the host itself. Pure.
 */
export function evidenceSubjects(command: string): readonly EvidenceSubject[] {
  const reading = read(command);
  if ('ruleId' in reading) return [];
  const { commands } = reading;
  let folder: string | null = null;
  const found: EvidenceSubject[] = [];
  for (const each of commands) {
    if (each.name === 'cd') folder = enter(folder, each.args.find((word) => !word.startsWith('-')) ?? '~');
    const around = commands.filter((other) => other !== each && holds(other, each));
    if (around.some(({ name }) => AWAY.test(name))) continue;
    const subjects = subjectsOf(each, folder);
    if (subjects.length === 0) continue;
    const container = around.flatMap((other) => containerOf(other) ?? []).at(-1);
    if (container !== undefined) found.push(container);
    else found.push(...(around.some(({ name }) => INSIDE.test(name)) ? [HOST] : subjects));
  }
  const seen = new Map(found.map((subject) => [JSON.stringify(subject), subject]));
  const all = [...seen.values()];
  // If one subject is unnamed, aish looks once at the whole host.
  return [...all.filter(({ kind }) => kind !== 'host').slice(0, SUBJECTS_MAX), ...all.filter(isHost)];
}

/** Returns the name that people see: `unit nginx`, `container web`. */
export function subjectName(subject: EvidenceSubject): string {
  switch (subject.kind) {
    case 'unit':
      return `${subject.ofUser ? 'user ' : ''}unit ${subject.name}`;
    case 'container':
      return `container ${subject.name}`;
    case 'compose':
      return ['compose', subject.folder ?? 'project', ...subject.services].join(' ');
    case 'process':
      return `process ${subject.name}`;
    case 'host':
      return 'the host';
  }
}

const isHost = ({ kind }: EvidenceSubject): boolean => kind === 'host';

/**
 * Whether `outer` runs `inner`. A wrapper and the words that it runs may have the same position. Then the one with more
 * words is the wrapper.
 */
function holds(outer: Command, inner: Command): boolean {
  const [from, to] = outer.source.spanOf(outer.pos, outer.end);
  const [start, end] = inner.source.spanOf(inner.pos, inner.end);
  const isLarger = to - from > end - start || outer.args.length > inner.args.length;
  return from <= start && end <= to && isLarger;
}

function subjectsOf({ name, args }: Command, folder: string | null): readonly EvidenceSubject[] {
  switch (name) {
    case 'systemctl':
      return ofSystemctl(args);
    case 'service':
    case 'rc-service':
    case 'invoke-rc.d': {
      const [unit, verb = ''] = operandsOf(args);
      return SERVICE_VERBS.test(verb) ? [unitOf(unit)] : [];
    }
    case 'sv': {
      const [verb = '', ...units] = operandsOf(args, /^-w$/);
      return SV_VERBS.test(verb) ? units.map((unit) => unitOf(lastPart(unit))) : [];
    }
    case 'docker':
    case 'podman':
    case 'nerdctl':
      return ofEngine(name, args, folder);
    case 'docker-compose':
    case 'podman-compose':
      return ofCompose([name], args, folder);
    case 'kill':
      return ofKill(args);
    case 'pkill':
    case 'killall':
      return isSignalZero(args) ? [] : named('name', operandsOf(args, MATCH_VALUES));
    case 'pct':
    case 'qm':
    case 'lxc':
    case 'incus':
      return /^(restart|reboot|stop|shutdown|reset|destroy|delete)$/.test(args[0] ?? '') ? [HOST] : [];
    case 'reboot':
    case 'poweroff':
    case 'halt':
    case 'killall5':
      return [HOST];
    case 'shutdown':
      return args.some((word) => word === '-c' || word === '--show') ? [] : [HOST];
    case 'init':
    case 'telinit':
      return /^[0156sS]$/.test(args[0] ?? '') ? [HOST] : [];
    default:
      return [];
  }
}

function ofSystemctl(args: readonly string[]): readonly EvidenceSubject[] {
  const [verb = '', ...units] = operandsOf(args, UNIT_VALUES);
  if (MACHINE_VERBS.test(verb)) return [HOST];
  const endsNow = /^(disable|mask)$/.test(verb) && args.includes('--now');
  if (!UNIT_VERBS.test(verb) && !endsNow) return [];
  // These units belong to another machine, or to all machines.
  if (units.length === 0 || args.some((word) => /^(-H|-M|--host|--machine)/.test(word))) return [HOST];
  return units.map((unit) => unitOf(unit, args.includes('--user')));
}

function ofEngine(name: string, args: readonly string[], folder: string | null): readonly EvidenceSubject[] {
  const { options, rest } = leadingOptions(args, ENGINE_VALUES);
  const engine = [name, ...options];
  const [first = '', ...others] = rest;
  if (first === 'compose') return ofCompose([...engine, 'compose'], others, folder);
  const [verb = '', words] = first === 'container' ? [others[0], others.slice(1)] : [first, others];
  if (CONTAINER_VERBS.test(verb)) {
    const names = operandsOf(words, CONTAINER_VALUES);
    return names.length === 0 ? [HOST] : names.map((each) => (isKnown(each) ? { kind: 'container', engine, name: each } : HOST)); // prettier-ignore
  }
  const isPruned = verb === 'prune' || (first === 'system' && /^(prune|reset)$/.test(others[0] ?? ''));
  const ofMany = /^(pod|stack|service)$/.test(first) && /^(restart|stop|kill|rm|update)$/.test(others[0] ?? '');
  return isPruned || ofMany ? [HOST] : [];
}

function ofCompose(engine: Engine, args: readonly string[], folder: string | null): readonly EvidenceSubject[] {
  const { options, rest } = leadingOptions(args, COMPOSE_OPTIONS);
  const [verb = '', ...words] = rest;
  if (!COMPOSE_VERBS.test(verb)) return [];
  const services = operandsOf(words, COMPOSE_VALUES);
  if ([...options, ...services, folder ?? ''].some((word) => !isKnown(word, true))) return [HOST];
  return [{ kind: 'compose', engine: [...engine, ...options], folder, services }];
}

function ofKill(args: readonly string[]): readonly EvidenceSubject[] {
  if (args.some((word) => /^(-l|-L|--list|--table)/.test(word)) || isSignalZero(args)) return [];
  // The signal comes first. A negative number after it is a process group, not an option.
  const rest = /^(-s|-n|--signal)$/.test(args[0] ?? '') ? args.slice(2) : args.slice(args[0]?.startsWith('-') ? 1 : 0);
  return named(
    'id',
    rest.filter((word) => word !== '--' && !word.startsWith('%')).map((word) => word.replace(/^-(?=\d)/, '')),
  );
}

/** Whether `kill` only asks whether the process exists, with signal 0. */
function isSignalZero(args: readonly string[]): boolean {
  return args.some((word, at) => word === '-0' || (word === '0' && /^(-s|-n|--signal)$/.test(args[at - 1] ?? '')));
}

function named(by: 'id' | 'name', names: readonly string[]): readonly EvidenceSubject[] {
  return names.map((name) => (isKnown(name) ? { kind: 'process', by, name } : HOST));
}

function unitOf(name = '', ofUser = false): EvidenceSubject {
  return isKnown(name) ? { kind: 'unit', name, ofUser } : HOST;
}

/** Returns the container in which `docker exec` runs the rest of its words. */
function containerOf({ name, args }: Command): EvidenceSubject | null {
  if (!/^(docker|podman|nerdctl)$/.test(name)) return null;
  const { options, rest } = leadingOptions(args, ENGINE_VALUES);
  const words = rest[0] === 'container' ? rest.slice(1) : rest;
  if (words[0] !== 'exec') return HOST;
  const [container = ''] = operandsOf(words.slice(1), /^(-e|--env|--env-file|-u|--user|-w|--workdir|--detach-keys)$/);
  return isKnown(container) ? { kind: 'container', engine: [name, ...options], name: container } : HOST;
}

/** Words that are neither options nor values of options. */
function operandsOf(args: readonly string[], values?: RegExp): readonly string[] {
  return args.filter((word, at) => !word.startsWith('-') && values?.test(args[at - 1] ?? '') !== true);
}

/** Returns the options before the first other word, with their values. */
function leadingOptions(
  args: readonly string[],
  values: RegExp,
): { readonly options: readonly string[]; readonly rest: readonly string[] } {
  let at = 0;
  while (args[at]?.startsWith('-') === true) at += values.test(args[at] ?? '') ? 2 : 1;
  return { options: args.slice(0, at), rest: args.slice(at) };
}

/** Whether a word contains no hole. A hole marks a part that is known only when the command runs. */
const isKnown = (word: string, mayBeEmpty = false): boolean => (mayBeEmpty || word !== '') && !word.includes(HOLE);
const lastPart = (path: string): string => path.replace(/\/+$/, '').split('/').at(-1) ?? '';

function enter(folder: string | null, next: string): string {
  return folder === null || /^[/~]/.test(next) ? next : `${folder}/${next}`;
}
