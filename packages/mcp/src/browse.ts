import type {
  GetMcpPrompt,
  McpContentList,
  McpPrompt,
  McpPromptList,
  McpPromptMessages,
  McpResource,
  McpResourceList,
  ReadMcpResource,
} from '@aish/contracts/mcp';
import type { AishError } from '@aish/contracts/problems';
import type { PromptMessage } from '@modelcontextprotocol/client';
import { cleanText } from './clean-text.js';
import { toMcpError } from './errors.js';
import { LIMITS } from './limits.js';
import type { McpRegistry } from './registry.js';
import type { ServerLink } from './server-link.js';
import type { McpSession } from './session.js';
import { cutText } from './tool-result.js';

/** Lists and reads resources and prompts of the servers, for people. They are limited in size and cleaned. */
export class McpBrowser {
  constructor(private readonly registry: McpRegistry) {}

  async resources(signal: AbortSignal): Promise<McpResourceList> {
    return this.ofAll(signal, async (session, alias) => {
      const options = session.limited(signal);
      if (session.client.getServerCapabilities()?.resources === undefined) return [];
      const [fixed, templates] = await session.ask(
        (client) =>
          Promise.all([client.listResources(undefined, options), client.listResourceTemplates(undefined, options)]),
        signal,
      );
      const all = [
        ...fixed.resources.map((resource) => ({ ...resource, isTemplate: false })),
        ...templates.resourceTemplates.map((template) => ({
          ...template,
          uri: template.uriTemplate,
          isTemplate: true,
        })),
      ];
      return all.slice(0, LIMITS.listed).map(({ uri, name, description, mimeType, isTemplate }): McpResource => ({
        alias,
        uri: cleanText(uri, 4_096),
        isTemplate,
        name: cleanText(name, 256),
        description: cleaned(description),
        mimeType: cleaned(mimeType),
      }));
    });
  }

  /** @throws AishError `not_found` and the `mcp_…` codes */
  async read({ alias, uri }: ReadMcpResource, signal: AbortSignal): Promise<McpContentList> {
    const session = await this.registry.server(alias).use(signal);
    const options = { ...session.limited(signal), cacheMode: 'refresh' as const };
    const { contents } = await session.ask((client) => client.readResource({ uri }, options), signal);
    const items = contents.slice(0, LIMITS.attachments).map((content) => {
      const head = { uri: cleanText(content.uri, 4_096), mimeType: cleaned(content.mimeType) };
      if ('text' in content) {
        const { text, omittedBytes } = cutText(content.text);
        return { ...head, text, blob: null, omittedBytes };
      }
      const sizeBytes = Buffer.byteLength(content.blob, 'base64');
      const fits = sizeBytes <= LIMITS.attachmentBytes;
      return { ...head, text: null, blob: fits ? content.blob : null, omittedBytes: fits ? 0 : sizeBytes };
    });
    return { items };
  }

  async prompts(signal: AbortSignal): Promise<McpPromptList> {
    return this.ofAll(signal, async (session, alias) => {
      if (session.client.getServerCapabilities()?.prompts === undefined) return [];
      const { prompts } = await session.ask((client) => client.listPrompts(undefined, session.limited(signal)), signal);
      return prompts.slice(0, LIMITS.listed).map(({ name, description, arguments: args = [] }): McpPrompt => ({
        alias,
        name: cleanText(name, 256),
        description: cleaned(description),
        arguments: args.slice(0, 64).map((argument) => ({
          name: cleanText(argument.name, 256),
          description: cleaned(argument.description),
          required: argument.required === true,
        })),
      }));
    });
  }

  /** @throws AishError `not_found` and the `mcp_…` codes */
  async prompt({ alias, name, arguments: args }: GetMcpPrompt, signal: AbortSignal): Promise<McpPromptMessages> {
    const session = await this.registry.server(alias).use(signal);
    const options = session.limited(signal);
    const result = await session.ask((client) => client.getPrompt({ name, arguments: args }, options), signal);
    return {
      description: cleaned(result.description),
      messages: result.messages
        .slice(0, 64)
        .map(({ role, content }) => ({ role, text: cutText(textOf(content)).text })),
    };
  }

  /** Asks every server. A server that cannot answer does not affect the others. */
  private async ofAll<T>(
    signal: AbortSignal,
    ask: (session: McpSession, alias: string) => Promise<readonly T[]>,
  ): Promise<{ items: T[]; failed: { alias: string; code: string; detail: string }[] }> {
    await this.registry.sync();
    const answers = await Promise.all(
      this.registry.all().map(async (link: ServerLink) => {
        try {
          return { items: await ask(await link.use(signal), link.alias), failed: [] };
        } catch (error) {
          const failure: AishError = toMcpError(error, link.alias);
          return { items: [], failed: [{ alias: link.alias, code: failure.code, detail: failure.message }] };
        }
      }),
    );
    return { items: answers.flatMap(({ items }) => items), failed: answers.flatMap(({ failed }) => failed) };
  }
}

function cleaned(text: string | undefined): string | null {
  return text === undefined ? null : cleanText(text, LIMITS.logChars);
}

function textOf(content: PromptMessage['content']): string {
  switch (content.type) {
    case 'text':
      return content.text;
    case 'resource':
      return 'text' in content.resource
        ? content.resource.text
        : `[resource ${cleanText(content.resource.uri, 2_048)}]`;
    case 'resource_link':
      return `[link ${cleanText(content.uri, 2_048)}]`;
    case 'image':
    case 'audio':
      return `[${content.type} ${cleanText(content.mimeType, 256)}]`;
  }
}
