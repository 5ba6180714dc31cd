import {
  actionsContract,
  approvalsContract,
  heldContract,
  needsContract,
  refusalsContract,
  tasksContract,
  type ContractKind,
} from '@aish/actions/testing';
import { beginGoal } from '../testing/begin-goal.js';

const GOAL: ContractKind = {
  name: 'a goal',
  waits: true,
  last: 'GOAL: complete\nDone.',
  begin: (world) => beginGoal(world),
};

actionsContract(GOAL);
approvalsContract(GOAL);
heldContract(GOAL);
needsContract(GOAL);
refusalsContract(GOAL);
tasksContract(GOAL);
