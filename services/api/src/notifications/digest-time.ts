/** When a week's digest goes out, in local time, and whether one goes out of a week in which nothing happened. */
export interface DigestTime {
  /** 0 is Sunday. */
  readonly day: number;
  readonly minute: number;
  readonly always: boolean;
}

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** `mon 08:00` or `mon 08:00 always`, in the form that the configuration has checked; null where none is wanted. */
export function parseDigestTime(text: string | undefined): DigestTime | null {
  const parts = /^([a-z]{3}) (\d\d):(\d\d)( always)?$/.exec(text ?? '');
  if (parts === null) return null;
  const [, day = '', hours = '', minutes = '', always] = parts;
  return { day: DAYS.indexOf(day), minute: Number(hours) * 60 + Number(minutes), always: always !== undefined };
}

/** The newest moment of a digest that is not after `now`. */
export function lastDigestMoment(now: Date, { day, minute }: DigestTime): Date {
  const moment = new Date(now);
  moment.setHours(0, minute, 0, 0);
  moment.setDate(moment.getDate() - ((now.getDay() - day + 7) % 7));
  if (moment > now) moment.setDate(moment.getDate() - 7);
  return moment;
}
