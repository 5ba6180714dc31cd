import type { ToolAttachment, ToolResult } from '@aish/contracts/tools';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { cleanText } from './clean-text.js';
import { LIMITS } from './limits.js';

/** Converts a server's answer to text with attachments, both limited in size. */
export function toToolResult(result: CallToolResult): ToolResult {
  const attachments: ToolAttachment[] = [];
  let attachedBytes = 0;
  const attach = (kind: ToolAttachment['kind'], label: string, mimeType: string | undefined, data: string): string => {
    const sizeBytes = Buffer.byteLength(data, 'base64');
    const fits = attachments.length < LIMITS.attachments && attachedBytes + sizeBytes <= LIMITS.attachmentBytes;
    if (fits) attachedBytes += sizeBytes;
    if (attachments.length < LIMITS.attachments) {
      const type = mimeType === undefined ? null : cleanText(mimeType, 256);
      attachments.push({ kind, label: cleanText(label, 2_048), mimeType: type, data: fits ? data : null, sizeBytes });
    }
    return `[${kind}${mimeType === undefined ? '' : ` ${cleanText(mimeType, 256)}`}, ${sizeBytes} bytes${fits ? '' : ', left out: too large'}]`;
  };
  const textOf = (block: ContentBlock, n: number): string => {
    switch (block.type) {
      case 'text':
        return block.text;
      case 'image':
      case 'audio':
        return attach(block.type, `${block.type} ${n + 1}`, block.mimeType, block.data);
      case 'resource': {
        const { resource } = block;
        const head = `[resource ${cleanText(resource.uri, 2_048)}]`;
        if ('text' in resource) return `${head}\n${resource.text}`;
        return `${head} ${attach('resource', resource.uri, resource.mimeType, resource.blob)}`;
      }
      case 'resource_link':
        if (attachments.length < LIMITS.attachments) {
          const mimeType = block.mimeType === undefined ? null : cleanText(block.mimeType, 256);
          attachments.push({ kind: 'link', label: cleanText(block.uri, 2_048), mimeType, data: null, sizeBytes: 0 });
        }
        return `[link ${cleanText(block.name, 256)}: ${cleanText(block.uri, 2_048)}]`;
    }
  };
  const blocks = result.content.map(textOf);
  // Structured content comes together with the same content as text, or alone.
  if (blocks.length === 0 && result.structuredContent !== undefined)
    blocks.push(JSON.stringify(result.structuredContent));
  return {
    ...cutText(blocks.join('\n')),
    isError: result.isError === true,
    ...(attachments.length === 0 ? {} : { attachments }),
  };
}

/** Returns the beginning of a text in whole characters, and the number of UTF-8 bytes that were cut off. */
export function cutText(
  text: string,
  maxBytes: number = LIMITS.resultTextBytes,
): { text: string; omittedBytes: number } {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= maxBytes) return { text, omittedBytes: 0 };
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return { text: bytes.toString('utf8', 0, end), omittedBytes: bytes.length - end };
}
