import type { Binding } from '../../model.js';
import {
  archiveRow,
  changeNetwork,
  changePriority,
  deleteRow,
  forkRow,
  notOfChats,
  notOfEnded,
  notOfGoals,
  notOfOpenGoals,
  notOfWork,
  renameRow,
  tellStory,
} from '../row.update.js';

/**
 * The keys for actions on the selected goal or session. In a chat the palette offers these actions, because letters are
 * text there.
 */
export const ROW_KEYS: readonly Binding[] = [
  {
    action: 'renameRow',
    keys: ['R'],
    places: ['list'],
    help: 'rename a chat, or change the text of a goal',
    run: renameRow,
    unavailable: notOfWork,
    isAnswer: true,
  },
  {
    action: 'forkRow',
    keys: ['f'],
    places: ['list'],
    help: 'start a new chat with the history of this one',
    run: forkRow,
    unavailable: notOfChats,
    isAnswer: true,
  },
  {
    action: 'tellStory',
    keys: ['s'],
    places: ['list'],
    help: 'the full history of a goal, on a page',
    run: tellStory,
    unavailable: notOfGoals,
  },
  {
    action: 'changePriority',
    keys: ['P'],
    places: ['list'],
    help: 'change the priority of a goal',
    run: changePriority,
    unavailable: notOfOpenGoals,
    isAnswer: true,
  },
  {
    action: 'changeNetwork',
    keys: ['N'],
    places: ['list'],
    help: 'change what its commands may access',
    run: changeNetwork,
    unavailable: notOfWork,
    isAnswer: true,
  },
  {
    action: 'archiveRow',
    keys: ['A'],
    places: ['list'],
    help: 'archive it, once it has ended',
    run: archiveRow,
    unavailable: notOfEnded,
    isAnswer: true,
  },
  {
    action: 'deleteRow',
    keys: ['D'],
    places: ['list'],
    help: 'delete it with its files (asks first)',
    run: deleteRow,
    unavailable: notOfEnded,
    isAnswer: true,
  },
];
