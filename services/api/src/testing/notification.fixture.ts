import { BUTTONS, type NotificationText } from '../notifications/notification.js';

export const notification: NotificationText = {
  id: '0b2f5c9e-0000-4000-8000-000000000001',
  kind: 'halt',
  title: 'HALT: goal 7 is waiting for you',
  text: 'tidy up\n\nrm -rf x',
  isUrgent: true,
  to: null,
  goal: { number: 7, state: 'halted' },
  decision: { number: 3, action: 'rm -rf x', shown: 'rm -rf x', isWhole: true, reason: 'it deletes' },
  buttons: BUTTONS,
  link: 'https://aish.example/d/abc',
};
