import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { watchStopSignals } from './stop-signals.js';

describe('watchStopSignals', () => {
  it('stops at the first and kills at the second, but not at the echo that npm sends', () => {
    let nowMs = 1_000;
    const source = new EventEmitter();
    const { stop, kill } = watchStopSignals(source, () => nowMs);
    expect([stop.aborted, kill.aborted]).toEqual([false, false]);
    source.emit('SIGINT');
    nowMs += 5;
    source.emit('SIGINT');
    expect([stop.aborted, kill.aborted]).toEqual([true, false]);
    nowMs += 1_000;
    source.emit('SIGTERM');
    expect([stop.aborted, kill.aborted]).toEqual([true, true]);
  });
});
