export { actionsContract, type ContractKind, type ContractSession } from './actions.contract.js';
export { FakeSandbox } from './fake.sandbox.js';
export { openWorld, type World } from './world.js';
