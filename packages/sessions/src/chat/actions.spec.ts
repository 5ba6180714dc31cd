import {
  actionsContract,
  approvalsContract,
  heldContract,
  needsContract,
  refusalsContract,
  tasksContract,
  type ContractKind,
} from '@aish/actions/testing';
import { beginChat } from '../testing/begin-chat.js';

const CHAT: ContractKind = { name: 'a chat', waits: false, last: 'That was all.', begin: (world) => beginChat(world) };

actionsContract(CHAT);
approvalsContract(CHAT);
heldContract(CHAT);
needsContract(CHAT);
refusalsContract(CHAT);
tasksContract(CHAT);
