export { authorize, covers, fingerprintOf, type Approval, type Authorization, type Policy } from './authorize.js';
export { ArgumentChecker, type Checked } from './check-arguments.js';
export { checkAnswer, type CheckedAnswer } from './check-answer.js';
export { cutHeadAndTail, type Cut } from './cut-result.js';
export { definitionOf, type Definition } from './definition.js';
export { chooseTools, type Diet, type DietOptions } from './diet.js';
export type { KeptResult, ResultStore, ShownResult } from './result.store.js';
export { searchTools } from './search.js';
export {
  named,
  BUILT_IN_IS_SAFE,
  TOOLBOX_DEFAULTS,
  Toolbox,
  fault,
  type Prepared,
  type ReadyCall,
  type ToolboxSettings,
} from './toolbox.js';
