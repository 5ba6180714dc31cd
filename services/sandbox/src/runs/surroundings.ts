import { AishError } from '@aish/contracts/problems';
import type { RunRequest } from '@aish/contracts/runs';
import type { RunSecret } from '@aish/contracts/secrets';
import { usedNames, type BoundFile, type CommandSurroundings } from '@aish/contracts/surroundings';
import type { NewWorkplace } from '../engine/container-spec.js';
import type { ImageBuilder } from '../images/image.builder.js';
import { holdsSecret } from '../secrets/placeholders.js';
import {
  NEW_SESSION,
  isSameSession,
  parseSession,
  pinned,
  surroundingsOf,
  unpinned,
  type Session,
} from '../workspaces/session.js';
import type { WorkspaceSpace } from '../workspaces/workspace.space.js';
import type { WorkspaceStore } from '../workspaces/workspace.store.js';
import type { ContentReader } from './contents.js';
import type { Outside } from './outside.js';
import type { Run } from './run.js';

/** What a command finds around it, by the policy, the allowlist and the space there is now, and what it leaves to the next. */
export class Surroundings {
  constructor(
    private readonly outside: Outside,
    private readonly space: WorkspaceSpace,
    private readonly workspaces: WorkspaceStore,
    private readonly images: ImageBuilder,
    private readonly contents: ContentReader,
    private readonly hasLayers: () => boolean,
  ) {}

  /**
   * What its container is to be made of.
   * @throws AishError `mount_not_allowed`, `mount_missing`, `invalid_config`, `image_missing`, `engine_unavailable`
   */
  async of(
    asked: Pick<RunRequest, 'workspaceId' | 'hostFolders' | 'hosts' | 'background' | 'image'>,
  ): Promise<NewWorkplace> {
    const { workspaceId, background } = asked;
    const ways = await this.outside.waysFor(asked);
    const image = asked.image === undefined ? null : await this.images.resolve(asked.image);
    return { workspaceId, mayWrite: this.space.mayWrite(workspaceId), ...ways, background, image };
  }

  /** The message for a command that cannot write; null when it can. */
  whyFull(workspaceId: string): string | null {
    return this.space.whyFull(workspaceId);
  }

  /** Lets a run reach out as its workspace's policy says, until what is returned is called. */
  join(run: Run): Promise<() => void> {
    return this.outside.join(run);
  }

  /** What the next command of a workspace begins in, which may read variables of these names, with these files and folders. */
  async describe(
    workspaceId: string,
    carryOver: boolean,
    names: readonly string[],
    hostFolders: readonly string[],
    files: readonly BoundFile[],
  ): Promise<CommandSurroundings> {
    const session = carryOver ? this.workspaces.session(workspaceId) : NEW_SESSION;
    const around = surroundingsOf(session, names);
    const contents = await this.contents.read(workspaceId, session.folder, files, hostFolders);
    return {
      ...around,
      ...(files.length > 0 && { files: [] }),
      ...(contents !== null && {
        files: [...contents.files],
        digest: contents.digest(around.digest),
        grantDigest: contents.grantDigest(around.digest),
      }),
      ...(this.hasLayers() && !this.outside.isReached(workspaceId, hostFolders) && { undoable: true }),
    };
  }

  /**
   * Where this command begins.
   * @throws AishError `surroundings_changed` when that is not what it expects.
   */
  async sessionFor(request: RunRequest): Promise<Session> {
    const { workspaceId, command, carryOver, expectedSurroundings, pinned: isPinned } = request;
    const session = carryOver ? this.workspaces.session(workspaceId) : NEW_SESSION;
    if (expectedSurroundings !== undefined) {
      const { boundFiles, hostFolders } = request;
      const contents = await this.contents.read(workspaceId, session.folder, boundFiles, hostFolders);
      const around = surroundingsOf(session, usedNames(command));
      const digest = contents === null ? around.digest : contents.digest(around.digest);
      if (digest !== expectedSurroundings) {
        const what = 'The folder, a variable, or a file that the command names or runs';
        throw new AishError('surroundings_changed', `${what} is not what it was when this command was looked at`, {
          digest,
        });
      }
    }
    return isPinned ? pinned(session) : session;
  }

  /**
   * What a command leaves to the next; null where nothing is carried over. What it hands on is data, and may be nonsense.
   * @param env the variables that its container had by itself.
   */
  leftBy(run: Run, bytes: Buffer, env: readonly string[]): Session | null {
    const { workspaceId, log, isPinned, secrets, hasUnknownSecrets } = run;
    if (hasUnknownSecrets) return null;
    // Each run gets its secrets again.
    const given = secrets.flatMap(({ name, placeholder, value }) => [`${name}=${placeholder}`, `${name}=${value}`]);
    const parsed = parseSession(bytes, [...env, ...given]);
    const left = parsed === null ? null : withoutSecrets(parsed, secrets);
    const session = left !== null && isPinned ? unpinned(left, this.workspaces.session(workspaceId)) : left;
    if (session === null) log.info('the folder and variables of a run are not carried over: too large, or cut');
    return session;
  }

  /** Keeps what the next command begins with. */
  handOn({ workspaceId, log }: Pick<Run, 'workspaceId' | 'log'>, session: Session): void {
    try {
      if (!isSameSession(session, this.workspaces.session(workspaceId))) {
        this.workspaces.saveSession(workspaceId, session);
      }
    } catch (error) {
      log.warn({ err: error }, 'could not record where a run ended');
    }
  }
}

/** Removes variables that contain a secret in clear, in any form. They end with the command. */
function withoutSecrets(session: Session, secrets: readonly RunSecret[]): Session {
  const exposed = secrets.filter((secret) => secret.exposed);
  const isClean = (text: string) => !holdsSecret(text, exposed);
  return {
    folder: isClean(session.folder) ? session.folder : NEW_SESSION.folder,
    variables: session.variables.filter(isClean),
  };
}
