// The functions below work on a clone alone, without database and server.
export { KnowledgeBase } from './base/knowledge-base.js';
export { emacsChecks, syncOrgRoam } from './emacs/org-roam.js';
export { provision } from './emacs/provision.js';
export { sureSecrets } from '@aish/secrets';
export { drawGraph } from './graph/draw-graph.js';
