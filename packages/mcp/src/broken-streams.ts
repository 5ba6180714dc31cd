import { SdkError, SdkErrorCode, type Transport } from '@modelcontextprotocol/client';

/**
 * Fails a call whose stream broke off before its answer, when nothing can be resumed. The SDK would wait for that answer
 * until the call times out.
 */
export function failBrokenStreams(transport: Transport): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (!('method' in message) || message.method !== 'tools/call') return send(message, options);
    return new Promise((_, reject) => {
      const broken = () => reject(new SdkError(SdkErrorCode.ConnectionClosed, 'the answer broke off'));
      // A stream ends after its answer, too: by then the SDK has taken the answer, and this failure means nothing to it.
      const onRequestStreamEnd = () => void setImmediate(broken);
      send(message, { ...options, onRequestStreamEnd }).catch(reject);
    });
  };
}
