export { HttpSandbox } from './http.sandbox.js';
export { Sandbox } from './sandbox.port.js';
