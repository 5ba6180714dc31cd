/** A rule for what secretlint's recommended set does not know. Each pattern is global and reads its input once. */
export interface OwnRule {
  readonly id: string;
  readonly title: string;
  readonly pattern: RegExp;
  readonly finds: readonly string[];
  readonly passes: readonly string[];
}

export const OWN_RULES: readonly OwnRule[] = [
  {
    id: 'aish',
    title: 'a token of aish',
    pattern: /\baish_[A-Za-z0-9_-]{32,128}/g,
    finds: [`aish_${'x9'.repeat(21)}`],
    passes: ['aish_data', 'the aish_sandbox volume'],
  },
  {
    id: 'private-key-head',
    title: 'a private key',
    pattern: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g,
    finds: ['-----BEGIN OPENSSH PRIVATE KEY-----', '-----BEGIN PGP PRIVATE KEY BLOCK-----'],
    passes: ['-----BEGIN PUBLIC KEY-----', 'the private key is in the vault'],
  },
  {
    id: 'jwt',
    title: 'a JSON web token',
    pattern: /\beyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{16,2000}/g,
    finds: [`eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${'dozjgNryP4J3jVm'.repeat(2)}`],
    passes: ['eyJhbGciOiJIUzI1NiJ9', 'a.b.c'],
  },
  {
    id: 'service-key',
    title: 'a key of a service',
    pattern: /\b(?:sk-(?:ant-|proj-|or-)?|hf_|glpat-|gsk_|AIza|dop_v1_|tskey-)[A-Za-z0-9_-]{20,200}/g,
    finds: [`sk-${'a1B2'.repeat(8)}`, `hf_${'a1B2'.repeat(8)}`, `glpat-${'a1B2'.repeat(5)}`],
    passes: ['sk-learn', 'hf_model', 'task-list-of-the-coming-weekend'],
  },
  {
    id: 'password',
    title: 'a password',
    // As people and models write it down: "the password of the nas is hunter2", `pass: x`, "Passwort = x", "PIN 4711".
    // Words that say where it is, not what it is, pass.
    pattern:
      /\b(?:passwords?|passphrase|passwd|passcode|passwort|kennwort)\b(?:(?![.!?]\s)[^\n:=]){0,40}?(?:[:=]|\b(?:is|was|ist|lautet)\b)[ \t]*(?!(?:in|on|at|kept|stored|saved|managed|set|not|never|always|required|optional|needed|empty|unknown|disabled|enabled|the|a|an|under|im|in der|nicht|gespeichert|hinterlegt|asked|read|rotated|changed|protected|from|by|with|same|too|also|case|hashed|encrypted|wrong)\b)["'`]?[^\s"'`]{4,200}/gi,
    finds: [
      'my password is hunter2',
      'password: s3cr3tP4ss!',
      'the password of the nas is correcthorse',
      'Passwort = geheim99',
    ],
    passes: [
      'the password is kept in Vaultwarden',
      'passwords are never stored',
      'Password is required',
      'uses password authentication',
      'forgot his password. It is Monday',
    ],
  },
  {
    id: 'assigned-secret',
    title: 'a secret given to a name',
    // A long value with letters and digits mixed, behind a name that says secret.
    pattern:
      /\b[\w-]{0,40}(?:secret|token|api[ _-]?key|access[ _-]?key|private[ _-]?key|credential)s?\b["'`]?\s{0,3}(?:[:=]|\bis\b)\s{0,3}["'`]?(?=[^\s"'`]{0,200}\d)(?=[^\s"'`]{0,200}[A-Za-z])[A-Za-z0-9_\-+/=.]{16,200}/gi,
    finds: [
      'token=AbCdEf1234567890AbCdEf1234567890',
      'API_KEY: "9f8e7d6c5b4a39281706f5e4"',
      'the api key is 9f8e7d6c5b4a39281706',
    ],
    passes: ['token: short1', 'the token is in /run/secrets', 'tokens per second: 35.2', 'secret santa is on the 24th'],
  },
  {
    id: 'pin',
    title: 'a PIN',
    pattern: /\bPIN\b(?:[ \t]+(?:code|number))?(?:[ \t]+of[ \t]+[^\n.:=]{1,30})?[ \t]*(?:[:=]|\bis\b)?[ \t]*\d{4,8}\b/g,
    finds: ['PIN 4711', 'PIN of the alarm is 123456', 'PIN: 0000'],
    passes: ['GPIO pin 17', 'pin 1234 of the header', 'PIN entry is broken'],
  },
];
