import { channel } from 'node:diagnostics_channel';

/**
 * Every point between two effects of a runner, in the order in which one action passes them. The process may be killed
 * at any of them, and the next runner then takes over. Tests stop runners here, by name. A chat does not come from a
 * queue, so it passes all points except `job.taken`.
 */
export const BOUNDARIES = [
  /** The job is taken. Nothing is locked. */
  'job.taken',
  /** The lock of the goal or chat is held. The epoch is still the old one. */
  'lock.held',
  /** The epoch is raised and the machine is loaded. Nothing is written. */
  'drive.loaded',
  /** A step has started. The model has not been asked. */
  'ask.before',
  /** The model has answered. The answer is not stored yet. */
  'ask.after',
  /** Actions are written as pending. The gate has not been asked. */
  'classify.before',
  /** The gate has answered. The answer is not stored yet. */
  'classify.after',
  /** Actions are written as started. Neither the sandbox nor a server has been asked. */
  'run.before',
  /** The sandbox, or the server of a tool, has been asked. */
  'run.asked',
  /** The actions have ended. The result is not written. */
  'run.after',
  /** A person has decided about a command's changes. The sandbox does not know yet. */
  'settle.before',
  /** The sandbox has received the verdict. */
  'settle.asked',
  /** The sandbox has carried out the verdict. The result is not written. */
  'settle.after',
  /** An earlier runner started the action. Nobody has asked for its result yet. */
  'recover.before',
  /** The result is known. It is not written. */
  'recover.after',
  /** The records of an event are about to be committed. */
  'record.before',
  /** The records are committed. Nobody has been notified. */
  'record.after',
  /** The bus has been notified. The next effect has not started. */
  'record.told',
  /** The session ended, halted or waits. The lock is still held. */
  'drive.left',
  /** The lock is free. The job that wakes a waiting goal has not been added. */
  'lock.freed',
] as const;

export type Boundary = (typeof BOUNDARIES)[number];

/**
 * Every point that an incoming event passes in the api, from the check of its proof to the response. After that it
 * continues like any goal. The api may be killed at any of these points. A sender that gets no response sends the event
 * again.
 */
export const INTAKE_BOUNDARIES = [
  /** The sender's proof is verified. Nothing is written. */
  'intake.proven',
  /** The sender's row is locked. Nothing is written. */
  'intake.locked',
  /** Event and goal are about to be committed. */
  'intake.written',
  /** Event and goal are committed. No job has been added, and no goal of a resolved event has been cancelled. */
  'intake.committed',
  /** The goal has a job. Nobody has been notified. */
  'intake.queued',
  /**
   * The bus has been notified, and the goal of a resolved event is cancelled. The sender has not received a response.
   */
  'intake.told',
] as const;

export type IntakeBoundary = (typeof INTAKE_BOUNDARIES)[number];

/** Called at each boundary with the ID of the goal, or of a chat's session. The runner waits until the call returns. */
export type AtBoundary = (boundary: Boundary, id: string) => Promise<void> | void;

const boundaries = channel('aish.boundary');

/**
 * Announces a boundary to the subscriber that the process was started with (`node --import`). Tests that kill runners
 * and benchmarks use this. No setting can enable it, and without a subscriber nothing happens.
 */
export function announceBoundary(boundary: Boundary | IntakeBoundary, id: string): void {
  if (boundaries.hasSubscribers) boundaries.publish({ boundary, id });
}
