import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { Body, Controller, HttpCode, Module, Post, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { Pool } from 'pg';

/**
 * The least that a program of this kind can do: NestJS on Fastify takes a message, writes it down in one durable
 * statement, asks the endpoint and passes on what that says, byte by byte. No token, no limits, no history, no events.
 * Prints its port; ends with SIGTERM.
 */
const [endpoint, databaseUrl] = process.argv.slice(2);
const pool = new Pool({ connectionString: databaseUrl });
const agent = new http.Agent({ keepAlive: true });

function ask(text: string): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    http
      .request(`${endpoint}/v1/chat/completions`, { method: 'POST', agent, headers }, resolve)
      .on('error', reject)
      .end(JSON.stringify({ model: 'relay', messages: [{ role: 'user', content: text }], stream: true }));
  });
}

@Controller()
class BareController {
  @Post('messages')
  @HttpCode(200)
  async send(@Body() { text }: { readonly text: string }, @Res() reply: FastifyReply): Promise<void> {
    await pool.query({ name: 'keep', text: 'insert into bare_messages (text) values ($1)', values: [text] });
    const answer = await ask(text);
    reply.hijack();
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream' });
    await pipeline(answer, reply.raw);
  }
}

@Module({ controllers: [BareController] })
class BareModule {}

await pool.query('create table bare_messages (id bigint generated always as identity primary key, text text not null)');
const app = await NestFactory.create(BareModule, new FastifyAdapter(), { logger: false });
await app.listen(0, '127.0.0.1');
const stop = async (): Promise<void> => {
  await app.close();
  await pool.end();
  agent.destroy();
};
process.once('SIGTERM', () => void stop());
console.log(String(((app.getHttpServer() as http.Server).address() as AddressInfo).port));
