export { findSecrets, sureSecrets, type SecretFinding } from './find-secrets.js';
