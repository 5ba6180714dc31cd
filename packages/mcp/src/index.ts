export { McpBrowser } from './browse.js';
export { cleanText } from './clean-text.js';
export { McpEndpoint, type EndpointOptions, type Offers } from './endpoint.js';
export { KeptServers } from './kept-servers.js';
export { LIMITS } from './limits.js';
export { aliasOf, labelOf, wireNames } from './naming.js';
export { RESOURCE_PAGE, type OfferedResources, type ResourceEntry } from './offered-resources.js';
export { OfferedTools, answerOf, offer, type OfferedTool, type Caller } from './offered-tools.js';
export { BrowserAuthorization, authorizationOf, type OAuthStore } from './oauth.js';
export { aliasTaken } from './kept-servers.js';
export { openMcp, type Mcp, type OpenMcpOptions } from './open-mcp.js';
export { requireAllowedAddress } from './allowed-address.js';
export { McpRegistry, type KeptServer, type RegistryParts, type ServerStore } from './registry.js';
export { ServerLink, shownUrl } from './server-link.js';
export { McpSession } from './session.js';
export { SpaceTools } from './space-tools.js';
export type { ListedTool } from './tool-list.js';
export {
  TASKS_EXTENSION,
  TaskAnswer,
  questionForm,
  requireTasks,
  serveTasks,
  taskCreated,
  takesTasks,
  type DetailedTask,
  type Task,
  type TaskSource,
} from './tasks.js';
