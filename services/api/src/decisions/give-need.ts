import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import type { Decision } from '@aish/contracts/decisions';
import { invariant } from '@aish/contracts/invariant';
import { NeedAnswer, needName, readNeed, type Need } from '@aish/contracts/needs';
import { allowDestination, type NetworkPolicy } from '@aish/contracts/network';
import { AishError, isAishError } from '@aish/contracts/problems';
import { emptySpace, type Space } from '@aish/contracts/spaces';
import { addressOf } from '@aish/contracts/secrets';
import { hostNotice, imageNotice, secretsNotice, wayNotice } from '@aish/prompt';
import { appendAudit } from '@aish/database/audit.repository';
import { findImage } from '@aish/database/images.repository';
import { listSecrets, secretsOfSession, writeSecret } from '@aish/database/secrets.repository';
import { addHostTo, addSessionSecret, addSessionWay, setSessionImage } from '@aish/database/session-access.repository';
import { findSpace, findSpaceOf, lockSpace, writeSpace } from '@aish/database/spaces.repository';
import type { Tx } from '@aish/database/tx';
import type { Sandbox } from '@aish/sandbox-client';
import type { SecretBox } from '@aish/secrets/secret-box';
import { checkHosts } from '../hosts/hosts.service.js';
import { secretToSet } from './secret-to-set.js';

const LOOK_TIMEOUT_MS = 3_000;

/** A request for access by a goal or chat, with a person's answer. */
interface Given {
  readonly asked: Decision;
  readonly need: Need;
  readonly answer: NeedAnswer;
  readonly by: string;
}

/** Gives goals and chats exactly the access that they requested, in the transaction of the verdict. */
@Injectable()
export class NeedGiver {
  constructor(
    @Part('secretBox') private readonly box: SecretBox,
    @Part('sandbox') private readonly sandbox: Pick<Sandbox, 'networkPolicy'>,
  ) {}

  /**
   * Checks whether the network policy has room for the request. An unavailable sandbox does not block the request, and
   * the command reports the problem later. @throws AishError `network_full`
   */
  async mustFit({ action, sessionId }: Decision, values: Readonly<Record<string, unknown>>): Promise<void> {
    const need = readNeed(action);
    const place = need?.kind === 'secret' ? need.target : need?.kind === 'network' ? need : null;
    if (place === null) return;
    let policy: NetworkPolicy;
    try {
      policy = await this.sandbox.networkPolicy(sessionId, AbortSignal.timeout(LOOK_TIMEOUT_MS));
    } catch (error) {
      if (isAishError(error)) return;
      throw error;
    }
    allowDestination(policy, wayTo(place, NeedAnswer.parse(values)));
  }

  /**
   * @returns the things that commands can now access, for the model. @throws AishError `invalid_body`; `host_not_given`
   * if the thing does not exist; `network_full` of its space
   */
  async give(tx: Tx, asked: Decision, values: Readonly<Record<string, unknown>>, by: string): Promise<string[]> {
    const need = readNeed(asked.action);
    invariant(need !== null, 'what was asked for as a need reads as one');
    const answer = NeedAnswer.parse(values);
    const given = { asked, need, answer, by };
    const names = await this.toSession(tx, given);
    if (answer.for === 'space') await toSpace(tx, given);
    const facts = { need: needName(need), for: answer.for, goal: asked.goalNumber, session: asked.sessionId };
    await appendAudit(tx, { actor: by, action: 'reach.given', subject: `d${asked.number}`, facts });
    return names;
  }

  private async toSession(tx: Tx, given: Given): Promise<string[]> {
    const { asked, need } = given;
    const { sessionId } = asked;
    switch (need.kind) {
      case 'secret': {
        await this.setSecret(tx, given, need);
        await addSessionSecret(tx, sessionId, need.name);
        await addSessionWay(tx, sessionId, wayTo(need.target, given.answer));
        return [
          secretsNotice((await secretsOfSession(tx, sessionId)).filter(({ name }) => name === need.name)),
          wayNotice(need.target),
        ];
      }
      case 'network':
        await addSessionWay(tx, sessionId, wayTo(need, given.answer));
        return [wayNotice(need)];
      case 'host': {
        const hosts = await checkHosts(tx, [need.name]);
        await addHostTo(tx, asked, need.name);
        return [hostNotice(hosts)];
      }
      case 'image': {
        const packages = await builtImage(tx, need.name);
        await setSessionImage(tx, sessionId, need.name);
        return [imageNotice(need.name, packages)];
      }
    }
  }

  private async setSecret(tx: Tx, { answer, by }: Given, need: Extract<Need, { kind: 'secret' }>): Promise<void> {
    const { name, target } = need;
    const known = (await listSecrets(tx)).find((secret) => secret.name === name) ?? null;
    const opened = known === null ? null : { ...known, value: this.box.open(known.sealed, name) };
    const change = secretToSet(name, target, opened, answer);
    if (change === null) return;
    const { exposed = false, body = false } = known ?? {};
    const { certificate } = change;
    const sealed = this.box.seal(change.value, name);
    await writeSecret(tx, { name, sealed, targets: [...change.targets], exposed, body, certificate, setBy: by });
    const facts = { targets: change.targets.map(addressOf), exposed, body };
    await appendAudit(tx, { actor: by, action: 'secret.set', subject: name, facts });
  }
}

/** Gives the same access to the space, for sessions that start from now on. */
async function toSpace(tx: Tx, { asked, need, answer, by }: Given): Promise<void> {
  const name = (await findSpaceOf(tx, 'sessions', asked.sessionId))?.name;
  invariant(name !== undefined, 'a session is of a space');
  await lockSpace(tx, name);
  const space = (await findSpace(tx, name)) ?? emptySpace(name);
  const change = widened(space, need, answer);
  await writeSpace(tx, { ...space, ...change, changedBy: by });
  await appendAudit(tx, { actor: by, action: 'space.set', subject: name, facts: change });
}

function widened(space: Space, need: Need, answer: NeedAnswer): Partial<Space> {
  switch (need.kind) {
    case 'secret':
      return {
        secrets: [...new Set([...space.secrets, need.name])],
        network: allowDestination(space.network, wayTo(need.target, answer)),
      };
    case 'network':
      return { network: allowDestination(space.network, wayTo(need, answer)) };
    case 'host':
      return { hosts: [...new Set([...space.hosts, need.name])] };
    case 'image':
      return { image: need.name };
  }
}

function wayTo({ host, port }: { readonly host: string; readonly port: number }, { local = false }: NeedAnswer) {
  return { host, port, private: local };
}

/** Returns the packages of an image whose build is ready. @throws AishError `invalid_body` */
async function builtImage(tx: Tx, name: string): Promise<readonly string[]> {
  const found = await findImage(tx, name);
  if (found?.image.digest !== undefined && found.image.digest !== null) return found.recipe.packages;
  const how =
    found === null
      ? `There is no image ${name}. Add it with: aish image add ${name} --apt …`
      : `The image ${name} is not built yet. Check its build with: aish image list`;
  throw new AishError('invalid_body', how);
}
