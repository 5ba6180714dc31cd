import { readShell } from './shell/reader.js';
export const classify = (s: string) => readShell(s);
