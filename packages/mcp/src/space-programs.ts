import { createHash, randomUUID } from 'node:crypto';
import type { McpStdioServer } from '@aish/contracts/mcp-config';
import { AishError } from '@aish/contracts/problems';
import { emptySpace, type Space } from '@aish/contracts/spaces';
import type { StdioRequest } from '@aish/contracts/stdio';
import type { Database } from '@aish/database/client';
import { listSecrets, type SealedSecret } from '@aish/database/secrets.repository';
import { findSpace } from '@aish/database/spaces.repository';
import type { StdioHandlers, StdioProgram, StdioPrograms } from '@aish/sandbox-client';
import { openSecret, type SecretBox } from '@aish/secrets/secret-box';

/** Runs the programs of servers over stdin and stdout. */
export interface ServerPrograms {
  /** @throws AishError like `StdioPrograms.start`; `not_found` if its space does not exist */
  start(server: McpStdioServer, handlers: StdioHandlers, signal: AbortSignal): Promise<StdioProgram>;
  /** Returns a value that changes when a newly started program would have other access. */
  revisionOf(server: McpStdioServer): Promise<string>;
}

/** Gives each program the access of its space when it starts. */
export class SpacePrograms implements ServerPrograms {
  constructor(
    private readonly programs: StdioPrograms,
    private readonly db: Pick<Database, 'statements'>,
    /** Decrypts secrets. */
    private readonly box: SecretBox,
  ) {}

  async start(server: McpStdioServer, handlers: StdioHandlers, signal: AbortSignal): Promise<StdioProgram> {
    const { space, secrets } = await this.accessOf(server);
    return this.programs.start(requestOf(server, space, secrets, this.box), handlers, signal);
  }

  async revisionOf(server: McpStdioServer): Promise<string> {
    if (server.space === null) return 'no space';
    const found = await findSpace(this.db.statements, server.space);
    if (found === null) return 'no such space';
    const { image, limits, network } = found;
    const parts = [image, limits, network, await this.secretsOf(found)];
    return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  }

  private async accessOf({ alias, space: name }: McpStdioServer) {
    if (name === null) return { space: emptySpace(alias), secrets: [] };
    const space = await findSpace(this.db.statements, name);
    if (space === null) {
      throw new AishError('not_found', `There is no space ${name} for ${alias}. Create it: aish space set ${name}`);
    }
    return { space, secrets: await this.secretsOf(space) };
  }

  /** Returns the secrets of a space. Secrets that were removed are skipped. */
  private async secretsOf({ secrets: names }: Space): Promise<readonly SealedSecret[]> {
    if (names.length === 0) return [];
    return (await listSecrets(this.db.statements)).filter(({ name }) => names.includes(name));
  }
}

function requestOf(
  { alias, command, image, env }: McpStdioServer,
  space: Space,
  secrets: readonly SealedSecret[],
  box: SecretBox,
): StdioRequest {
  return {
    id: randomUUID(),
    name: alias,
    command: [...command],
    image: image ?? (space.image === null ? null : `aish/${space.image}`),
    env: { ...env },
    limits: space.limits,
    network: space.network,
    secrets: secrets.map((secret) => openSecret(box, `mcp ${alias}`, secret)),
  };
}
