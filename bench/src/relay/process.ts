import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** CPU time that a process has used so far, milliseconds. */
export function cpuMs(pid: number): number {
  // The name in the second field may hold spaces; what follows its closing bracket may not.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND;
}

/** The most memory that a process has held, MiB. */
export function peakMb(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}

/** Memory that a process holds now, MiB. */
export function rssMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}

/** The same, with what it shares with other processes counted to each in equal parts. */
export function pssMb(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1_024;
}
