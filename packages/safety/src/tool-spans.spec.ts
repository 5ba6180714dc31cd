import { describe, expect, it } from '@jest/globals';
import { actionText } from '@aish/contracts/actions';
import { classifyToolCall } from './tool-calls.js';

/** Returns the marked part of a call, as a person sees it. */
const marked = (label: string, json: string): string | null => {
  const shown = actionText({ kind: 'tool', callId: 'c', tool: label.replace('.', '__'), label, arguments: json });
  const args = JSON.parse(json) as Record<string, unknown>;
  const { span } = classifyToolCall({ name: label.replace('.', '__'), args, shown });
  return span === null ? null : shown.slice(...span);
};

describe('the span of a tool call', () => {
  it('the span of a call is the position of the guilty command in the JSON that a person sees', () => {
    expect(marked('lab.run', '{"command":"ls && rm -rf /x"}')).toBe('rm -rf /x');
    expect(marked('lab.run', '{ "host": "nas",\n  "command" : "echo \\"é\\"\\nrm -rf /x" }')).toBe('rm -rf /x');
    expect(marked('lab.run', '{"command":"\\u0072m x"}')).toBe('\\u0072m x');
    expect(marked('box.shell', '{"command":"ls; rm x"}')).toBe('rm x');
    expect(marked('lab.exec', '{"argv":["rm","-rf","x"]}')).toBe('["rm","-rf","x"]');
    expect(marked('lab.run', '{"steps":[{"command":"ls"},{"command":"reboot"}]}')).toBe('reboot');
  });

  it('the span of a call is the guilty statement, request, flag or file', () => {
    expect(marked('db.query', '{"sql":"DROP TABLE x"}')).toBe('DROP TABLE x');
    expect(marked('web.request', '{"method":"DELETE","url":"http://x/1"}')).toBe('http://x/1');
    expect(marked('box.remove', '{"id":1,"force":true}')).toBe('"force":true');
    expect(marked('fs.write_file', '{"path":"/srv/a","content":"x"}')).toBe('/srv/a');
    expect(marked('redis.execute', '{"command":"FLUSHALL"}')).toBe('FLUSHALL');
    expect(marked('web.browser_click', '{"element":"Delete account","ref":"e1"}')).toBe('Delete account');
  });

  it('the span of a call is the name of the tool if no argument is guilty, and null if the call is safe', () => {
    expect(marked('vm.stop_all', '{}')).toBe('vm.stop_all');
    expect(marked('x.frobnicate', '{"a":1}')).toBe('x.frobnicate');
    expect(marked('fs.read_file', '{"path":"/a"}')).toBeNull();
  });

  it('the span of a call stays inside the text, even if the text is not the JSON of the arguments', () => {
    const call = { name: 'lab__run', args: { command: 'rm x' } };
    for (const shown of ['lab.run {broken', 'lab.run', '', `lab.run ${'['.repeat(5_000)}`]) {
      const { span } = classifyToolCall({ ...call, shown });
      expect(span === null || (span[0] >= 0 && span[1] <= shown.length)).toBe(true);
    }
  });
});
