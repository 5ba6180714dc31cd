export { McpBrowser } from './browse.js';
export { cleanText } from './clean-text.js';
export { KeptServers } from './kept-servers.js';
export { LIMITS } from './limits.js';
export { aliasOf, labelOf, wireNames } from './naming.js';
export {
  McpEndpoint,
  OfferedTools,
  offer,
  type Caller,
  type EndpointOptions,
  type OfferedTool,
} from './offered-tools.js';
export { BrowserAuthorization, authorizationOf, type OAuthStore } from './oauth.js';
export { openMcp, type Mcp, type OpenMcpOptions } from './open-mcp.js';
export { requireReach } from './reach.js';
export { McpRegistry, type KeptServer, type RegistryParts, type ServerStore } from './registry.js';
export { ServerLink, shownUrl } from './server-link.js';
export { McpSession } from './session.js';
export { SpaceTools } from './space-tools.js';
export type { ListedTool } from './tool-list.js';
