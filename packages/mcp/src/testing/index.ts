export { MailServer } from './mail.server.js';
export { TaskServer } from './task.server.js';
