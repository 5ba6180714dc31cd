import { actionsContract } from '@aish/actions/testing';
import { beginGoal } from './testing/begin-goal.js';

actionsContract({ name: 'a goal', last: 'GOAL: complete', begin: beginGoal });
