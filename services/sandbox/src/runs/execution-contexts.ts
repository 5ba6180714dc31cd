import { AishError } from '@aish/contracts/problems';
import type { RunRequest } from '@aish/contracts/runs';
import type { RunSecret } from '@aish/contracts/secrets';
import { usedNames, type BoundFile, type ExecutionContext } from '@aish/contracts/execution-context';
import type { NewWorkplace } from '../engine/container-spec.js';
import type { ImageBuilder } from '../images/image.builder.js';
import { holdsSecret } from '../secrets/placeholders.js';
import {
  NEW_SESSION,
  isSameSession,
  parseSession,
  pinned,
  programFolders,
  executionContextOf,
  unpinned,
  type Session,
} from '../workspaces/session.js';
import type { WorkspaceSpace } from '../workspaces/workspace.space.js';
import type { WorkspaceStore } from '../workspaces/workspace.store.js';
import type { ContentReader } from './contents.js';
import type { ExternalAccess } from './external-access.js';
import type { Run } from './run.js';

const AS_IT_IS = (digest: string): string => digest;

/**
 * Determines the execution context of a command from the current policy, allowlist and space. Also stores the session
 * that a command leaves to the next one.
 */
export class ExecutionContexts {
  constructor(
    private readonly outside: ExternalAccess,
    private readonly space: WorkspaceSpace,
    private readonly workspaces: WorkspaceStore,
    private readonly images: ImageBuilder,
    private readonly contents: ContentReader,
    private readonly hasLayers: () => boolean,
  ) {}

  /**
   * Returns the settings of the command's container.
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

  /** Returns the message for a command that cannot write, or null if it can. */
  whyFull(workspaceId: string): string | null {
    return this.space.whyFull(workspaceId);
  }

  /** Gives a run the access of its workspace's policy, until the returned function is called. */
  join(run: Run): Promise<() => void> {
    return this.outside.join(run);
  }

  /**
   * Returns the context of the workspace's next command, which may read the named variables and gets these files and
   * folders.
   */
  async describe(
    workspaceId: string,
    carryOver: boolean,
    names: readonly string[],
    hostFolders: readonly string[],
    files: readonly BoundFile[],
  ): Promise<ExecutionContext> {
    const session = carryOver ? this.workspaces.session(workspaceId) : NEW_SESSION;
    const context = executionContextOf(session, names);
    const { digest, variablesDigest = digest } = context;
    const contents = await this.contents.read(workspaceId, session.folder, files, hostFolders);
    const withPrograms = await this.programs(workspaceId, session, hostFolders);
    return {
      ...context,
      ...(files.length > 0 && { files: [] }),
      ...(contents !== null && { files: [...contents.files] }),
      digest: withPrograms(contents?.digest(digest) ?? digest),
      ...((contents !== null || withPrograms !== AS_IT_IS) && {
        grantDigest: withPrograms(contents?.grantDigest(digest) ?? digest),
      }),
      variablesDigest: withPrograms(variablesDigest),
      ...(this.hasLayers() && !this.outside.isReached(workspaceId, hostFolders) && { undoable: true }),
    };
  }

  /**
   * Returns a function that adds to a digest the programs in the workspace that a carried PATH finds. An approval
   * of `deploy` covers the one that is there now.
   */
  private async programs(
    workspaceId: string,
    session: Session,
    hostFolders: readonly string[],
  ): Promise<(digest: string) => string> {
    const folders = programFolders(session);
    return (await this.contents.read(workspaceId, session.folder, folders, hostFolders))?.digest ?? AS_IT_IS;
  }

  /**
   * Returns the session in which this command begins.
   * @throws AishError `execution_context_changed` if the session is not the one that the request expects
   */
  async sessionFor(request: RunRequest): Promise<Session> {
    const { workspaceId, command, carryOver, expectedContextDigest, pinned: isPinned } = request;
    const session = carryOver ? this.workspaces.session(workspaceId) : NEW_SESSION;
    if (expectedContextDigest !== undefined) {
      const { boundFiles, hostFolders } = request;
      const contents = await this.contents.read(workspaceId, session.folder, boundFiles, hostFolders);
      const context = executionContextOf(session, usedNames(command));
      const withPrograms = await this.programs(workspaceId, session, hostFolders);
      const digest = withPrograms(contents?.digest(context.digest) ?? context.digest);
      if (digest !== expectedContextDigest) {
        const what = 'The folder, a variable, or a file that the command names or runs';
        throw new AishError('execution_context_changed', `${what} has changed since this command was checked`, {
          digest,
        });
      }
    }
    return isPinned ? pinned(session) : session;
  }

  /**
   * Returns the session that a command leaves to the next one, or null if it is not carried over. The session is
   * untrusted data.
   * @param env the variables that the command's container had before those of the command.
   */
  leftBy(run: Run, bytes: Buffer, env: readonly string[]): Session | null {
    const { workspaceId, log, isPinned, secrets, hasUnknownSecrets } = run;
    if (hasUnknownSecrets) return null;
    // Secrets are not carried over, because each run gets them again.
    const given = secrets.flatMap(({ name, placeholder, value }) => [`${name}=${placeholder}`, `${name}=${value}`]);
    const parsed = parseSession(bytes, [...env, ...given]);
    const left = parsed === null ? null : withoutSecrets(parsed, secrets);
    const session = left !== null && isPinned ? unpinned(left, this.workspaces.session(workspaceId)) : left;
    if (session === null) log.info('the folder and variables of a run are not carried over: too large, or cut');
    return session;
  }

  /** Stores the session with which the next command begins. */
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

/** Removes variables that contain an exposed secret in any form. They last only as long as the command. */
function withoutSecrets(session: Session, secrets: readonly RunSecret[]): Session {
  const exposed = secrets.filter((secret) => secret.exposed);
  const isClean = (text: string) => !holdsSecret(text, exposed);
  return {
    folder: isClean(session.folder) ? session.folder : NEW_SESSION.folder,
    variables: session.variables.filter(isClean),
  };
}
