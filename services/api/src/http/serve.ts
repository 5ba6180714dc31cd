import {
  HttpCode,
  RequestMapping,
  RequestMethod,
  Res,
  SetMetadata,
  applyDecorators,
  createParamDecorator,
  type ExecutionContext,
  type Type,
} from '@nestjs/common';
import type { Answer, Declaration, Endpoint, Received } from '@aish/contracts/endpoint';
import { z } from 'zod';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { checkInput, untilGone } from '@aish/http';
import type { FastifyReply } from 'fastify';
import { NEEDED_SCOPE, type AuthorizedRequest } from './needs.decorator.js';

const ENDPOINT = 'aish:endpoint';

/** A request to an endpoint, as its handler gets it: checked against the declaration, with defaults applied. */
export type Call<E extends Declaration> = Received<E> & {
  readonly token: E['scope'] extends 'nothing' ? undefined : ApiTokenRow;
  readonly request: AuthorizedRequest;
  readonly reply: FastifyReply;
  /** Aborts when the client disconnects before the answer is out. */
  readonly gone: AbortSignal;
};

type Decorates<Handler> = <H extends Handler>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<H>,
) => void;

/** Serves an endpoint: what the method returns is the answer. */
export function Serve<E extends Endpoint>(endpoint: E): Decorates<(call: Call<E>) => Promise<Answer<E>> | Answer<E>> {
  return (target, key, descriptor) => route(endpoint, target, key, descriptor);
}

/** Serves an endpoint whose method sends the answer itself: a stream, a file, a cookie. */
export function ServeRaw<E extends Endpoint>(
  endpoint: E,
): Decorates<(call: Call<E>, reply: FastifyReply) => Promise<void> | void> {
  return (target, key, descriptor) => {
    route(endpoint, target, key, descriptor);
    Res()(target, key, 1);
  };
}

function route(endpoint: Endpoint, target: object, key: string | symbol, descriptor: PropertyDescriptor): void {
  applyDecorators(
    RequestMapping({ path: endpoint.path, method: RequestMethod[endpoint.method] }),
    HttpCode(endpoint.status ?? (endpoint.answer === undefined ? 204 : 200)),
    SetMetadata(NEEDED_SCOPE, endpoint.scope),
    SetMetadata(ENDPOINT, endpoint),
  )(target, key, descriptor);
  const { params } = endpoint;
  ReceivedCall({ endpoint, path: params === undefined ? undefined : z.object(params) })(target, key, 0);
}

interface Served {
  readonly endpoint: Endpoint;
  /** Of the parameters in the path, made once. */
  readonly path: z.ZodType | undefined;
}

const ReceivedCall = createParamDecorator(({ endpoint, path }: Served, context: ExecutionContext) => {
  const http = context.switchToHttp();
  const request = http.getRequest<AuthorizedRequest>();
  const reply = http.getResponse<FastifyReply>();
  const { query, body } = endpoint;
  return {
    token: request.token,
    request,
    reply,
    params: path === undefined ? undefined : checkInput(path, request.params, 'path'),
    query: query === undefined ? undefined : checkInput(query, request.query, 'query'),
    body: body instanceof z.ZodType ? checkInput(body, request.body, 'body') : undefined,
    get gone() {
      return untilGone(reply);
    },
  };
});

/** The endpoints that a controller serves. */
export function servedBy(controller: Type): readonly Endpoint[] {
  const methods = Object.values(Object.getOwnPropertyDescriptors(controller.prototype as object));
  return methods.flatMap(({ value }) => {
    const endpoint: unknown = typeof value === 'function' ? Reflect.getMetadata(ENDPOINT, value) : undefined;
    return endpoint === undefined ? [] : [endpoint as Endpoint];
  });
}
