"""Reads the tasks of AgentDojo below /data and prints them as JSON: prompts and the calls that they are solved by."""

import ast
import glob
import json
import os

VERSIONS = ['v1', 'v1_1', 'v1_1_1', 'v1_1_2', 'v1_2']


def value(node, known):
    """A value as far as it stands in the text; what only running would tell is None."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ('self', 'cls'):
        return known.get(node.attr)
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.JoinedStr):
        parts = [value(p.value, known) if isinstance(p, ast.FormattedValue) else p.value for p in node.values]
        return ''.join(str(part) for part in parts)
    if isinstance(node, (ast.List, ast.Tuple)):
        return [value(each, known) for each in node.elts]
    if isinstance(node, ast.Dict):
        return {str(value(k, known)): value(v, known) for k, v in zip(node.keys, node.values)}
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = value(node.left, known), value(node.right, known)
        return left + right if isinstance(left, str) and isinstance(right, str) else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == 'join':
        texts = value(node.args[0], known)
        return ', '.join(str(text) for text in texts) if isinstance(texts, list) else None
    return None


def task(body):
    known, calls = {}, []
    for part in body:
        if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name):
            known[part.targets[0].id] = value(part.value, known)
        elif isinstance(part, ast.AnnAssign) and part.value is not None:
            known[part.target.id] = value(part.value, known)
        elif isinstance(part, ast.FunctionDef) and part.name == 'ground_truth':
            for node in ast.walk(part):
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                    known.setdefault(node.targets[0].id, value(node.value, known))
            for node in ast.walk(part):
                if isinstance(node, ast.Call) and getattr(node.func, 'id', '') == 'FunctionCall':
                    named = {each.arg: each.value for each in node.keywords}
                    args = value(named['args'], known) or {}
                    calls.append((node.lineno, value(named['function'], known), args))
    calls.sort(key=lambda call: call[0])
    prompt = known.get('PROMPT') or known.get('GOAL')
    return {'prompt': str(prompt), 'calls': [{'name': name, 'args': args} for _, name, args in calls]}


root = next(path for path, _, _ in os.walk('/data') if path.endswith('/default_suites'))
tasks = {}
for version in VERSIONS:
    for file in sorted(glob.glob(f'{root}/{version}/*/*_tasks.py')):
        suite, kind = file.split('/')[-2], file.split('/')[-1].split('_')[0]
        for node in ast.parse(open(file).read()).body:
            if isinstance(node, ast.ClassDef) and 'Task' in node.name and node.name[-1].isdigit():
                tasks[suite, kind, node.name] = {'suite': suite, 'kind': kind, 'name': node.name, **task(node.body)}
suites = {}
for suite in sorted({name for name, _, _ in tasks}):
    files = sorted(glob.glob(f'{os.path.dirname(root)}/data/suites/{suite}/**/*.yaml', recursive=True))
    suites[suite] = '\n'.join(open(file).read() for file in files if 'injection_vectors' not in file)
print(json.dumps({'tasks': list(tasks.values()), 'suites': suites}, default=str))
