import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** Returns the CPU time of a process so far, in milliseconds. */
export function cpuMs(pid: number): number {
  // The name in the second field may contain spaces, so the fields after its closing bracket are used.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND;
}

/** Returns the peak memory of a process, in MiB. */
export function peakMb(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}

/** Returns the current memory of a process, in MiB. */
export function rssMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}

/**
 * Returns the current memory of a process in MiB, with memory shared by several processes divided equally among them.
 */
export function pssMb(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1_024;
}
