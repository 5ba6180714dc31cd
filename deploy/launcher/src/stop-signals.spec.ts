import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { watchStopSignals } from './stop-signals.js';

describe('the signals that stop aish', () => {
  it('the first signal stops aish, the second kills it, and the duplicate that npm sends is ignored', () => {
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

  it('aish upgrade stops aish with its own signal, unless a person has already stopped it', () => {
    const source = new EventEmitter();
    const first = watchStopSignals(source);
    source.emit('SIGUSR2');
    expect([first.stop.aborted, first.upgrade.aborted, first.kill.aborted]).toEqual([true, true, false]);
    const other = new EventEmitter();
    const second = watchStopSignals(other);
    other.emit('SIGTERM');
    other.emit('SIGUSR2');
    expect([second.stop.aborted, second.upgrade.aborted]).toEqual([true, false]);
  });
});
