export { actionsContract, type ContractKind, type ContractSession } from './actions.contract.js';
export { approvalsContract } from './approvals.contract.js';
export { heldContract } from './held.contract.js';
export { needsContract } from './needs.contract.js';
export { refusalsContract } from './refusals.contract.js';
export { tasksContract } from './tasks.contract.js';
export { FakeSandbox, HOME, NoWorkspaces } from './fake.sandbox.js';
export { FakeTools, openWorld, type World } from './world.js';
