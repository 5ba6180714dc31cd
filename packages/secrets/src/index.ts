export { findSecrets, maskSecrets, sureSecrets, type SecretFinding } from './find-secrets.js';
export { SHELL_MASK } from './shell-mask.js';
