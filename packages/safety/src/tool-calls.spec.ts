import { describe, expect, it } from '@jest/globals';
import { classifyRecord } from './records.js';
import { classifyToolCall, type ToolCall } from './tool-calls.js';

const verdict = (name: string, args: Record<string, unknown> = {}, more: Partial<ToolCall> = {}): string =>
  classifyToolCall({ name, args, ...more }).verdict;

describe('classifyToolCall', () => {
  it('tools on the list of always destructive tools are stopped, in both spellings', () => {
    for (const name of ['fs__write_file', 'box__shell', 'box__shell_bg', 'fs__edit_file', 'fs.write_file', 'box.shell'])
      expect([name, verdict(name, { command: 'ls' })]).toEqual([name, 'destructive']);
    expect(classifyToolCall({ name: 'fs__touch', args: {} }, { alwaysDestructive: ['fs__*'] }).ruleId).toBe(
      'tool.always',
    );
  });

  it('a tool is judged by the meaning of its name', () => {
    for (const name of [
      'fs__delete_file',
      'k8s__pods_delete',
      'db__drop_table',
      'ha__restart_service',
      'fs__move_file',
      'mail__update_draft',
      'docker.removeContainer',
      'pve__stop_vm',
      'fs__overwrite',
    ])
      expect([name, verdict(name)]).toEqual([name, 'destructive']);
    for (const name of [
      'fs__read_file',
      'fs__list_directory',
      'web__search',
      'k8s__pods_list',
      'github__get_issue',
      'fs__create_directory',
      'db__describe_table',
      'notes__search_notes',
      'time__current_time',
    ])
      expect([name, verdict(name)]).toEqual([name, 'safe']);
    for (const name of ['x__frobnicate', 'hertz__machine']) expect([name, verdict(name)]).toEqual([name, 'unknown']);
  });

  it('a browser tool may look and fill in fields, and a click is judged by the words on its target', () => {
    for (const [name, args] of [
      ['web__browser_navigate', { url: 'https://x/delete' }],
      ['web__browser_resize', { width: 800, height: 600 }],
      ['web__browser_click', { element: 'Next page', ref: 'e4' }],
      ['web__browser_type', { element: 'Name', ref: 'e1', text: 'rm -rf /' }],
      ['web__browser_type', { element: 'Search', ref: 'e1', text: 'x', submit: true }],
      ['web__browser_handle_dialog', { accept: false }],
      ['ed__str_replace_based_edit_tool', { command: 'view', path: 'a' }],
      ['ed__str_replace_based_edit_tool', { command: 'create', path: 'a', file_text: 'x' }],
    ] as const)
      expect([name, args, verdict(name, args)]).toEqual([name, args, 'safe']);
    for (const [name, args] of [
      ['web__browser_click', { element: 'Delete account', ref: 'e4' }],
      ['web__puppeteer_click', { selector: 'button.delete-all' }],
      ['web__browser_type', { element: 'Amount', ref: 'e1', text: '9', submit: true }],
      ['web__browser_handle_dialog', { accept: true }],
      ['web__browser_evaluate', { function: '() => localStorage.clear()' }],
      ['ed__str_replace_based_edit_tool', { command: 'str_replace', path: 'a', old_str: 'x', new_str: 'y' }],
    ] as const)
      expect([name, args, verdict(name, args)]).toEqual([name, args, 'destructive']);
    expect(verdict('web__browser_click', { ref: 'e4' })).toBe('unknown');
  });

  it('classifyToolCall reads the commands, statements, methods and actions in the arguments', () => {
    expect(verdict('box__run_command', { command: 'ls -la' })).toBe('safe');
    expect(verdict('box__run_command', { command: 'rm -rf x' })).toBe('destructive');
    expect(verdict('box__execute', { cmd: ['rm', '-rf', 'x'] })).toBe('destructive');
    expect(verdict('box__exec', { command: '$X' })).not.toBe('safe');
    expect(verdict('db__query', { sql: 'select 1' })).toBe('safe');
    expect(verdict('db__query', { sql: 'DROP TABLE x' })).toBe('destructive');
    expect(verdict('db__execute_sql', { query: "select 'drop table x'" })).toBe('safe');
    expect(verdict('http__request', { method: 'DELETE', url: 'http://x' })).toBe('destructive');
    expect(verdict('http__request', { method: 'GET', url: 'http://x' })).not.toBe('destructive');
    expect(verdict('ha__call_service', { service: 'light.turn_off' })).toBe('destructive');
    expect(verdict('py__run', { code: 'import shutil; shutil.rmtree("x")' })).toBe('destructive');
    expect(verdict('web__search', { query: 'how to delete a table' })).toBe('safe');
    expect(verdict('fs__search_files', { pattern: 'rm -rf' })).toBe('safe');
    expect(verdict('fs__copy_file', { from: 'a', to: 'b', overwrite: true })).toBe('destructive');
  });

  it('an argument that a tool does not declare never makes a call safer', () => {
    const declared = ['path', 'command'];
    for (const [name, args] of [
      ['fs__delete_file', { path: 'a', dry_run: true }],
      ['box__run_command', { command: 'rm -rf x', preview: 'yes' }],
      ['ed__edit_file', { path: 'a', content: '', mode: 'view', check: true }],
      ['ha__call_service', { path: 'a', method: 'GET' }],
    ] as const) {
      expect([name, verdict(name, args, { declared })]).toEqual([name, 'destructive']);
      expect([name, verdict(name, args, { declared: Object.keys(args) })]).toEqual([name, verdict(name, args)]);
    }
    expect(verdict('fs__delete_file', { path: 'a', dry_run: true }, { declared: [...declared, 'dry_run'] })).toBe(
      'safe',
    );
    expect(verdict('fs__copy', { path: 'a', overwrite: true }, { declared })).toBe('destructive');
    expect(verdict('fs__read_file', { path: 'a', lines: 9 }, { declared })).toBe('safe');
  });

  it('classifyToolCall uses the hints of a server only if it is trusted, and never against its own findings', () => {
    expect(verdict('x__frobnicate', {}, { annotations: { readOnlyHint: true } })).toBe('unknown');
    expect(verdict('x__frobnicate', {}, { annotations: { readOnlyHint: true }, trusted: true })).toBe('safe');
    expect(verdict('x__get_thing', {}, { annotations: { destructiveHint: true }, trusted: true })).toBe('destructive');
    expect(verdict('x__delete_thing', {}, { annotations: { readOnlyHint: true }, trusted: true })).toBe('destructive');
  });
});

describe('classifyRecord', () => {
  it('classifyRecord answers a command and a tool call with their IDs', () => {
    expect(classifyRecord('{"id":1,"cmd":"rm x"}')).toMatchObject({
      id: 1,
      verdict: 'destructive',
      ruleId: 'files.remove',
    });
    expect(classifyRecord('{"id":"a","name":"fs__read_file","args":{"path":"x"}}')).toEqual({
      id: 'a',
      verdict: 'safe',
      asks: false,
      after: false,
      reason: null,
      ruleId: null,
    });
  });

  it('classifyRecord returns `unknown` for a line that is neither a command nor a tool call', () => {
    for (const line of ['', '[]', '{"id":1}', '{', 'null', '{"cmd":5}'])
      expect([line, classifyRecord(line).ruleId]).toEqual([line, 'record.invalid']);
  });
});
