export { findSecrets, type SecretFinding } from './find-secrets.js';
