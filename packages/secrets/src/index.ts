export { findSecrets, sureSecrets, type SecretFinding } from './find-secrets.js';
export { SHELL_MASK } from './shell-mask.js';
