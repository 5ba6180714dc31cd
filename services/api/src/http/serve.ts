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

/** A request to an endpoint as its handler receives it: the request is validated, and defaults are applied. */
export type Call<E extends Declaration> = Received<E> & {
  readonly token: E['scope'] extends 'nothing' ? undefined : ApiTokenRow;
  readonly request: AuthorizedRequest;
  readonly reply: FastifyReply;
  /** Aborts when the client disconnects before the response is sent. */
  readonly gone: AbortSignal;
};

type Decorates<Handler> = <H extends Handler>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<H>,
) => void;

/** Serves an endpoint. The method's return value becomes the response. */
export function Serve<E extends Endpoint>(endpoint: E): Decorates<(call: Call<E>) => Promise<Answer<E>> | Answer<E>> {
  return (target, key, descriptor) => route(endpoint, target, key, descriptor);
}

/** Serves an endpoint whose method itself sends the response: a stream, a file, a cookie. */
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
  /** The schema of the path parameters, which is created once. */
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

/** Returns the endpoints that a controller serves. */
export function servedBy(controller: Type): readonly Endpoint[] {
  const methods = Object.values(Object.getOwnPropertyDescriptors(controller.prototype as object));
  return methods.flatMap(({ value }) => {
    const endpoint: unknown = typeof value === 'function' ? Reflect.getMetadata(ENDPOINT, value) : undefined;
    return endpoint === undefined ? [] : [endpoint as Endpoint];
  });
}
