import { knowledgeApi } from '@aish/contracts/endpoints/knowledge';
import { Serve, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { RememberNode } from '@aish/contracts/knowledge';
import { AishError } from '@aish/contracts/problems';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { scopeOf, type Caller } from '@aish/knowledge';
import { KnowledgeService, type Curator } from './knowledge.service.js';

const READ_TIMEOUT_MS = 30_000;
/** A write may wait this long for other writes and for a remote. */
const WRITE_TIMEOUT_MS = 120_000;
/** Calls that read or rewrite every node may take this long. */
const WHOLE_TIMEOUT_MS = 900_000;

@Controller()
export class KnowledgeController {
  constructor(private readonly knowledge: KnowledgeService) {}

  @Serve(knowledgeApi.status)
  status({ token }: Call<typeof knowledgeApi.status>) {
    return this.knowledge.status(callerOf(token), AbortSignal.timeout(READ_TIMEOUT_MS));
  }

  @Serve(knowledgeApi.query)
  query({ token, query }: Call<typeof knowledgeApi.query>) {
    return this.knowledge.query(query, callerOf(token), AbortSignal.timeout(READ_TIMEOUT_MS));
  }

  @Serve(knowledgeApi.read)
  read({ token, params: { id } }: Call<typeof knowledgeApi.read>) {
    return this.knowledge.read(id, callerOf(token), AbortSignal.timeout(READ_TIMEOUT_MS));
  }

  @Serve(knowledgeApi.remember)
  remember({ token, body: input }: Call<typeof knowledgeApi.remember>) {
    requireMayAllowSecrets(token, input);
    return this.knowledge.remember(input, callerOf(token), AbortSignal.timeout(WRITE_TIMEOUT_MS));
  }

  @Serve(knowledgeApi.lint)
  lint({ token }: Call<typeof knowledgeApi.lint>) {
    return this.knowledge.lint(callerOf(token), AbortSignal.timeout(WHOLE_TIMEOUT_MS));
  }

  @Serve(knowledgeApi.index)
  index({ token }: Call<typeof knowledgeApi.index>) {
    return this.knowledge.regenerateIndex(callerOf(token), AbortSignal.timeout(WHOLE_TIMEOUT_MS));
  }

  @Serve(knowledgeApi.sync)
  sync({ token, body: { full } }: Call<typeof knowledgeApi.sync>) {
    return this.knowledge.sync(full, callerOf(token), AbortSignal.timeout(WHOLE_TIMEOUT_MS));
  }

  @Serve(knowledgeApi.doctor)
  doctor({ token }: Call<typeof knowledgeApi.doctor>) {
    return this.knowledge.doctor(callerOf(token), AbortSignal.timeout(WHOLE_TIMEOUT_MS));
  }

  @Serve(knowledgeApi.curation)
  curation({ token }: Call<typeof knowledgeApi.curation>) {
    return this.knowledge.curate(callerOf(token), AbortSignal.timeout(WHOLE_TIMEOUT_MS));
  }

  @Serve(knowledgeApi.plan)
  plan({ token, body: operation }: Call<typeof knowledgeApi.plan>) {
    return this.knowledge.plan(operation, curatorOf(token), AbortSignal.timeout(WHOLE_TIMEOUT_MS));
  }

  @Serve(knowledgeApi.apply)
  apply({ token, body: { planId, operation } }: Call<typeof knowledgeApi.apply>) {
    return this.knowledge.apply(planId, operation, curatorOf(token), AbortSignal.timeout(WHOLE_TIMEOUT_MS));
  }

  @Serve(knowledgeApi.graph)
  graph({ token, query }: Call<typeof knowledgeApi.graph>) {
    return this.knowledge.graph(query, callerOf(token), AbortSignal.timeout(READ_TIMEOUT_MS));
  }

  @Serve(knowledgeApi.push)
  push() {
    return this.knowledge.push(true, AbortSignal.timeout(WHOLE_TIMEOUT_MS));
  }

  @Serve(knowledgeApi.init)
  init({ body: { remote } }: Call<typeof knowledgeApi.init>) {
    return this.knowledge.init(remote, AbortSignal.timeout(WHOLE_TIMEOUT_MS));
  }
}

function callerOf(token: ApiTokenRow): Caller {
  return { name: token.name, owner: token.owner, scope: scopeOf(token) };
}

/** @throws AishError `forbidden`, because only a person who may decide can confirm that a text is not a secret */
function requireMayAllowSecrets({ scopes, app }: ApiTokenRow, { allowSecrets }: RememberNode): void {
  const mayDecide = app === null && (scopes.includes('decide') || scopes.includes('admin'));
  if (allowSecrets !== true || mayDecide) return;
  throw new AishError('forbidden', 'Only a token with scope decide can accept text that looks like a secret');
}

/** Returns the curator for a token. An app cannot reach a person's memory through the knowledge base. */
function curatorOf(token: ApiTokenRow): Curator {
  return { ...callerOf(token), memory: token.app === null ? token.owner : null };
}
