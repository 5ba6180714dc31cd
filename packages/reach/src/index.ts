export { canonicalAddress, machineAddresses, reachOf, type Reach } from './address.rules.js';
