import { DEFAULT_SANDBOX, type SandboxAddress } from '@aish/contracts/sandboxes';
import type { Hosts } from './hosts.port.js';
import { HttpImages } from './http.images.js';
import type { Images } from './images.port.js';
import { HttpHosts } from './http.hosts.js';
import { HttpSandbox } from './http.sandbox.js';
import { HttpWorkspaces } from './http.workspaces.js';
import { PlacedSandbox } from './placed.sandbox.js';
import { PlacedWorkspaces } from './placed.workspaces.js';
import type { Places } from './places.port.js';
import type { Sandbox } from './sandbox.port.js';
import { SandboxRouter, type SandboxService } from './sandbox.router.js';
import type { Workspaces } from './workspaces.port.js';

export interface SandboxSettings {
  readonly SANDBOX_URL: string;
  readonly SANDBOX_TOKEN: string;
  readonly SANDBOXES: readonly SandboxAddress[];
}

/** Combines the configured sandbox services into one. It opens no connection yet. */
export function openSandboxes(
  { SANDBOX_URL, SANDBOX_TOKEN, SANDBOXES }: SandboxSettings,
  places: Places,
): { readonly sandbox: Sandbox; readonly workspaces: Workspaces; readonly hosts: Hosts; readonly images: Images } {
  const service = ({ name, url }: SandboxAddress): SandboxService => ({
    name,
    sandbox: new HttpSandbox(url, SANDBOX_TOKEN),
    workspaces: new HttpWorkspaces(url, SANDBOX_TOKEN),
  });
  const router = new SandboxRouter(
    [service({ name: DEFAULT_SANDBOX, url: SANDBOX_URL }), ...SANDBOXES.map(service)],
    places,
  );
  const at = (baseUrl: string) => ({ baseUrl, token: SANDBOX_TOKEN });
  const hosts = new HttpHosts(router, (name) => at(SANDBOXES.find((each) => each.name === name)?.url ?? SANDBOX_URL));
  const images = new HttpImages([SANDBOX_URL, ...SANDBOXES.map(({ url }) => url)].map(at));
  return { sandbox: new PlacedSandbox(router), workspaces: new PlacedWorkspaces(router), hosts, images };
}
