import { channel } from 'node:diagnostics_channel';

/**
 * Every boundary between two effects of a driver, in the order in which one action passes them. Its process may be killed
 * at any of them; what the next one does is the same for each. Tests stop drivers here, by name. A chat is not taken from
 * a queue: it passes all but `job.taken`.
 */
export const BOUNDARIES = [
  /** The job is taken; nothing is locked. */
  'job.taken',
  /** The lock of the goal or chat is held; the epoch is the old one. */
  'lock.held',
  /** The epoch is raised and the machine is loaded; nothing is written. */
  'drive.loaded',
  /** A step is begun; the model has not been asked. */
  'ask.before',
  /** The model has answered; nothing of it is written. */
  'ask.after',
  /** Actions are written as pending; the gate has not been asked. */
  'classify.before',
  /** The gate has answered; nothing of it is written. */
  'classify.after',
  /** Actions are written as started; neither sandbox nor server has been asked. */
  'run.before',
  /** The sandbox, or the server of a tool, has been asked. */
  'run.asked',
  /** The actions have ended; nothing of it is written. */
  'run.after',
  /** A person has said what becomes of what a command did; the sandbox has not been told. */
  'settle.before',
  /** The sandbox has been told. */
  'settle.asked',
  /** It has done that; nothing of it is written. */
  'settle.after',
  /** Found started by a driver before this one; nobody has been asked after it. */
  'recover.before',
  /** What became of it is known; nothing of it is written. */
  'recover.after',
  /** An event's records are about to be committed. */
  'record.before',
  /** They are committed; nobody has been told. */
  'record.after',
  /** Told over the bus; the next act has not begun. */
  'record.told',
  /** It ended, halted or waits; the lock is still held. */
  'drive.left',
  /** The lock is free; the job that wakes a waiting goal has not been added. */
  'lock.freed',
] as const;

export type Boundary = (typeof BOUNDARIES)[number];

/**
 * Every boundary that an event passes in the api, from its proof to the answer. It goes on from there as any goal does.
 * The api may be killed at any of them; the sender that got no answer sends the event again.
 */
export const INTAKE_BOUNDARIES = [
  /** It comes from its sender; nothing is written. */
  'intake.proven',
  /** The sender's row is locked; nothing is written. */
  'intake.locked',
  /** Event and goal are about to be committed. */
  'intake.written',
  /** They are committed; no job was added, and no goal of an event that is over was cancelled. */
  'intake.committed',
  /** Its goal has a job; nobody has been told. */
  'intake.queued',
  /** Told over the bus, and cancelled what is over; the sender has no answer. */
  'intake.told',
] as const;

export type IntakeBoundary = (typeof INTAKE_BOUNDARIES)[number];

/** Told at each boundary, with the id of the goal, or of the session of a chat; a driver waits for it. */
export type AtBoundary = (boundary: Boundary, id: string) => Promise<void> | void;

const boundaries = channel('aish.boundary');

/**
 * Tells what a process was started with, `node --import` of a subscriber: tests that kill drivers and the bench are such.
 * No setting reaches this, and without a subscriber nothing happens.
 */
export function announceBoundary(boundary: Boundary | IntakeBoundary, id: string): void {
  if (boundaries.hasSubscribers) boundaries.publish({ boundary, id });
}
