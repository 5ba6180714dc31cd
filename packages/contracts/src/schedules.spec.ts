import { describe, expect, it } from '@jest/globals';
import { CreateSchedule } from './schedules.js';

const read = (cron: string) => CreateSchedule.safeParse({ cron, goal: { text: 'tidy' } });

describe('the time of a schedule', () => {
  it.each(['0 3 * * *', '*/10 * * * * *', ' 0 3 * * 1-5 '])('%j is a valid time for a schedule', (cron) => {
    expect(read(cron).success).toBe(true);
  });

  it.each(['0 3 * *', 'daily', '', '1 2 3 4 5 6 7'])('%j is refused, and the error names the five fields', (cron) => {
    expect(read(cron).error?.issues[0]).toMatchObject({
      path: ['cron'],
      message: expect.stringMatching(/is not a valid schedule.*minute, hour, day of month, month, day of week.*0 3/),
    });
  });
});
