/** A rule that secretlint's recommended set lacks. Each pattern is global and reads its input only once. */
export interface OwnRule {
  readonly id: string;
  readonly title: string;
  /** False if plain prose may match. A person then decides. */
  readonly isSure?: boolean;
  readonly pattern: RegExp;
  readonly finds: readonly string[];
  readonly passes: readonly string[];
}

/** Matches at least six characters with a letter and a digit, but no path, variable, algorithm name or date. */
const NO_WORD = String.raw`(?![$<{*./~[]|(?:process\.env|os\.environ|var\.|your[-_]|[Rr]edacted|REDACTED|argon2|bcrypt|scrypt|sha\d|md5|pbkdf2|wpa\d|utf-?8|base64|ed25519|rsa\d|aes|oauth2|x?\d{1,3}[a-z]{0,3}\b|\d{4}-\d\d))(?=[^\s"'“”]{0,200}\d)(?=[^\s"'“”]{0,200}\p{L})[^\s"'“”]{6,200}`;

/** Excludes stand-ins for a secret: a variable, placeholder, path, switch or ellipsis. */
const GIVEN = String.raw`(?![$<{*./~…%[]|x{3}|[Rr]edacted|REDACTED|change[-_]?me\b|your[-_]|process\.env|os\.environ|(?:true|false|yes|no|none|null)\b)`;

const QUOTE = String.raw`["'\x60“]?`;

/** Matches words that look like a name before a password but are not one. */
const NO_NAME = String.raw`(?!(?:\d+|disabled|enabled|vault|ssh|ldap|oauth2?|oidc|password|tty\d+|none|rotated)\b)`;

/** Matches a name that comes before a password, with the word that announces both: "Router login: admin / ". */
const LOGIN =
  String.raw`\b(?:logins?|log[ \t]in|sign[ \t]in|accounts?|credentials?|creds|user(?:name)?[ \t]?\/[ \t]?(?:pass(?:word)?|pw)|anmeldung|zugang(?:sdaten)?|benutzer[ \t]?\/[ \t]?passwort|identifiants?|usuario|ipmi|bmc|idrac|ilo)` +
  String.raw`(?:[ \t]*\([^)\n]{1,30}\))?(?:[*_]{0,2}[ \t]{0,3}[:=–—][*_]{0,2}|[ \t]+(?:is|are|ist|as|with|mit)[ \t])[ \t]{0,3}["'\x60]?` +
  String.raw`${NO_NAME}[^\s:/|"'\x60$<{]{1,40}["'\x60]?[ \t]{0,3}[/:|–—][ \t]{0,3}["'\x60]?(?!(?:uid|gid|port|group|page)s?\d)`;

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
    pattern: new RegExp(
      [
        // These are known prefixes of services' keys. A key contains a digit.
        String.raw`\b(?:sk-(?:ant-|proj-|or-)?|hf_|glpat-|gsk_|AIza|dop_v1_|tskey-|[sr]k_(?:live|test)_|whsec_|dckr_[op]at_|glsa_|hvs\.|ATATT3x|nvapi-|pplx-|xai-|r8_|pypi-AgE|lin_api_|ntn_|shp(?:at|ca|pa|ss)_|xapp-|gl(?:rt|dt|cbt|ptt)-|figd_|sntry[su]_|rubygems_|CFPAT-|PMAK-|dp\.(?:pt|st|sa|ct)\.|ya29\.)(?=[A-Za-z_-]{0,200}\d)[A-Za-z0-9_-]{20,200}`,
        // These are recognized by their form: ntfy, Mailgun, Twilio, Notion, and old Grafana keys.
        String.raw`\btk_[a-z0-9]{29}\b|\bkey-[0-9a-f]{32}\b|\bSK[0-9a-f]{32}\b|\bsecret_[A-Za-z0-9]{43}\b|\beyJrIjoi[A-Za-z0-9+/=]{40,400}`,
        // These are keys of HubSpot and Databricks.
        String.raw`\bpat-(?:eu|na)\d-[0-9a-f-]{36}\b|\bdapi[0-9a-f]{32}\b`,
        // Most services invent a prefix. A long value with digits and both cases after one is a key.
        String.raw`(?<![\w/.-])[a-z]{2,12}_(?=[A-Za-z]{0,200}\d)(?=[a-z0-9]{0,200}[A-Z])(?=[A-Z0-9]{0,200}[a-z])[A-Za-z0-9]{32,200}\b`,
        String.raw`\bhttps:\/\/[\w.-]{1,60}\boffice\.com\/webhook(?:b2)?\/[\w@/-]{60,300}`,
        String.raw`\bhttps:\/\/(?:\w{1,20}\.)?discord(?:app)?\.com\/api\/webhooks\/\d{15,25}\/[\w-]{40,120}`,
      ].join('|'),
      'g',
    ),
    finds: [`sk-${'a1B2'.repeat(8)}`, `hf_${'a1B2'.repeat(8)}`, `glpat-${'a1B2'.repeat(5)}`],
    passes: ['sk-learn', 'hf_model', 'task-list-of-the-coming-weekend', 'sk-learn-pipeline-for-the-weekend'],
  },
  {
    id: 'own-key',
    title: 'a key',
    // These are keys of age, WireGuard, Telegram bots and Azure storage. Each form is unique.
    pattern:
      /\bAGE-SECRET-KEY-1[A-Z0-9]{40,80}|\b(?:PrivateKey|PresharedKey)[ \t]*=[ \t]*[A-Za-z0-9+/]{43}=|\b\d{8,10}:AA[A-Za-z0-9_-]{33}\b|\bAccountKey=[A-Za-z0-9+/]{60,100}={0,2}/g,
    finds: [
      `AGE-SECRET-KEY-1${'QP0Z'.repeat(14)}`,
      'PresharedKey = /UwcSPg38hW/D9Y3tcS1FOV0K1wuURMbS0sesJEP5ak=',
      'PrivateKey=yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=',
      `123456789:AA${'hdqTcvCH1vG'.repeat(3)}`,
      `AccountName=x;AccountKey=${'Eby8vdM0'.repeat(10)}==`,
    ],
    passes: [
      'PublicKey = HIgo9xNzJMWLKASShiTqIybxZ0U3wGLiUeJ1PKf8ykw=',
      'PrivateKey = /etc/wireguard/key',
      'AGE-SECRET-KEY-1 is how they begin',
      '12:00 AA meeting',
    ],
  },
  {
    id: 'bearer',
    title: 'a bearer token',
    pattern: new RegExp(
      String.raw`\bBearer[ \t]+${GIVEN}(?=[^\s"'\x60]{0,400}\d)(?=[^\s"'\x60]{0,400}[A-Za-z])[A-Za-z0-9._~+/=-]{16,400}`,
      'g',
    ),
    finds: [
      'Authorization: Bearer 9f8e7d6c5b4a39281706f5e4d3c2b1a0',
      'curl -H "Authorization: Bearer abcDEF123456ghiJKL789"',
    ],
    passes: ['Authorization: Bearer $TOKEN', 'Authorization: Bearer <token>', 'Bearer authentication-is-switched-on'],
  },
  {
    id: 'password-option',
    title: 'a password in a command',
    pattern: new RegExp(
      [
        String.raw`\b(?:curl|wget|http|https)[ \t](?:[^\n|;&]{0,120}?[ \t])?(?:-u|--user)[ \t=]?["']?[^\s:"'$]{1,60}:${GIVEN}[^\s"']{4,200}`,
        String.raw`\bsshpass[ \t]+-p[ \t]?["']?${GIVEN}[^\s"']{4,200}`,
        String.raw`\b(?:mysql|mysqldump|mariadb|mariadb-dump)[ \t](?:[^\n|;&]{0,120}?[ \t])?-p["']?${GIVEN}[^\s"'-][^\s"']{3,200}`,
        String.raw`\becho[ \t]+(?:-n[ \t]+)?["']?${GIVEN}[^\s"'|]{4,100}["']?[ \t]*\|[ \t]*sudo[ \t](?:[^\n|]{0,60}?[ \t])?-S\b`,
        String.raw`\b(?:requirepass|masterauth|bindpw|rootpw)[ \t]+["']?${NO_WORD}`,
        String.raw`\b(?:docker|podman|buildah|skopeo|helm)[ \t](?:[^\n|;&]{0,120}?[ \t])?login[ \t](?:[^\n|;&]{0,120}?[ \t])?-p[ \t=]?["']?${GIVEN}[^\s"'-][^\s"']{3,200}`,
        String.raw`\b(?:smbclient|rpcclient|net|mount)[ \t](?:[^\n|;&]{0,120}?[ \t])?-U[ \t]?["']?[^\s%"']{1,40}%${GIVEN}[^\s"']{4,200}`,
        String.raw`\bhtpasswd[ \t]+-[a-zA-Z]{0,4}b[a-zA-Z]{0,4}[ \t]+\S{1,80}[ \t]+\S{1,60}[ \t]+["']?${GIVEN}[^\s"']{4,200}`,
      ].join('|'),
      'gu',
    ),
    finds: [
      'curl -u admin:hunter22 https://nas.lan/api',
      'sshpass -p hunter22 ssh root@odin',
      'mysql -u root -phunter22 wiki',
      'echo letmein | sudo -S reboot',
      'requirepass foobared99',
    ],
    passes: ['curl -u admin https://nas.lan', 'mysql -u root -p wiki', 'docker run --user 1000:1000 redis'],
  },
  {
    id: 'address',
    title: 'a password in an address',
    pattern: new RegExp(
      [
        // This is an address with only a password: `redis://:it@host`.
        String.raw`\b[a-z][a-z0-9+.-]{1,20}:\/\/:${GIVEN}[^\s:/@"']{4,200}@`,
        String.raw`(?:\b[a-z][a-z0-9+.-]{1,20}:|(?<![:\w]))\/\/[^\s:/@"'<>$]{1,60}:${GIVEN}(?!password@)[^\s:/@"'<>]{3,200}@(?!sha\d+:)(?=[\w[/])`,
        String.raw`\bjdbc:oracle:thin:[^\s/@"'<>$]{1,60}\/${GIVEN}[^\s/@"'<>]{3,200}@`,
      ].join('|'),
      'giu',
    ),
    finds: ['redis://:hunter22secret@cache:6379/0', 'smb://user:pass@nas/share'],
    passes: ['redis://cache:6379/0', 'ssh://git@git.lan:2222/kb.git', 'https://nas.lan:8443/@bob'],
  },
  {
    id: 'credential-file',
    title: 'a file of credentials',
    pattern: new RegExp(
      [
        // These are fields in files of Docker, kubectl and libpq.
        String.raw`"auth"[ \t]{0,8}:[ \t]{0,8}"[A-Za-z0-9+/]{8,400}={0,2}"`,
        String.raw`\bclient-key-data:[ \t]{1,8}["']?[A-Za-z0-9+/]{16,20000}={0,2}`,
        String.raw`^[\w.*-]{1,80}:(?:\d{2,5}|\*):[\w*-]{1,60}:[\w*-]{1,60}:${NO_WORD}[ \t]*$`,
        // These are hashes of passwords in shadow, htpasswd and LDAP, and the key files of npm, PuTTY, OpenVPN and pppd.
        String.raw`(?<![\w$])\$(?:[1567y]|2[abxy]|apr1|argon2(?:id|i|d))\$[^\s:"']{16,200}|\{S?SHA(?:256|512)?\}[A-Za-z0-9+/]{20,200}`,
        String.raw`(?<!\w)_auth[ \t]*=[ \t]*["']?[A-Za-z0-9+/]{8,400}={0,2}`,
        String.raw`\bPuTTY-User-Key-File-\d:|-----BEGIN OpenVPN Static key V\d-----`,
        String.raw`^"[\w.@-]{1,60}"[ \t]{1,20}\*[ \t]{1,20}"${NO_WORD}"[ \t]{1,20}\*`,
        String.raw`\bmachine[ \t]+\S{1,80}\s{1,8}login[ \t]+\S{1,60}\s{1,8}password[ \t]+${GIVEN}\S{4,200}`,
      ].join('|'),
      'gmu',
    ),
    finds: ['{"auths":{"https://index.docker.io/v1/":{"auth":"YWRtaW46aHVudGVyMjI="}}}'],
    passes: ['"auth": "basic"', 'client-key-data: REDACTED', 'machine odin login bob'],
  },
  {
    id: 'community',
    title: 'a community of SNMP',
    pattern: new RegExp(
      [
        String.raw`\b(?:r[ow]community6?|snmp-server[ \t]+community)[ \t]+["']?(?!public\b|private\b)${NO_WORD}`,
        String.raw`\b(?:snmp[ \t]+)?community(?:[ \t]+string)?[ \t]*(?:[:=]|[ \t]is[ \t])[ \t]*["']?${NO_WORD}`,
        String.raw`\bsnmp(?:walk|get|getnext|bulkwalk|set)[ \t](?:[^\n|;&]{0,80}?[ \t])?-c[ \t]?["']?(?!public\b|private\b)${GIVEN}[^\s"'-][^\s"']{3,80}`,
      ].join('|'),
      'giu',
    ),
    finds: ['rocommunity s3cr3tRO', 'snmpwalk -v2c -c s3cr3tRO router'],
    passes: ['rocommunity public', 'the community edition of Gitea 1.22'],
  },
  {
    id: 'password-variable',
    title: 'a password in a variable',
    // This is `NAME=value` in capitals, which prose does not contain. Names of places and other variables are excluded.
    pattern: new RegExp(
      String.raw`\b(?:[A-Z][A-Z0-9_]{0,40})?(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|PSK|API_?KEY|ACCESS_?KEY|(?<![A-Z0-9])PASS)=["']?${GIVEN}[^\s"'\x60$<>]{4,200}` +
        // This is a constant in PHP.
        String.raw`|\bdefine\([ \t]*["']\w{0,40}(?:PASSWORD|PASSWD|PASS|SECRET|TOKEN|KEY|SALT)["'][ \t]*,[ \t]*["']${GIVEN}[^"'\n]{4,200}`,
      'g',
    ),
    finds: [
      'PGPASSWORD=letmein psql -h freya',
      'export MQTT_PASSWORD="letmein"',
      'WIFI_PSK=letmein123',
      'DB_PASS=letmein',
    ],
    passes: [
      'BYPASS=always',
      'PGPASSWORD=$PW',
      'PASSWORD=<yours>',
      'SECRET=/run/secrets/pg',
      'TOKEN=…',
      'PASSWORD=***',
      'OLDPWD=/home/x',
    ],
  },
  {
    id: 'password',
    title: 'a password',
    // This value is not a word: it has letters with digits or punctuation. Names of algorithms look similar and are
    // excluded.
    pattern: new RegExp(
      String.raw`(?<!\w)(?:[\w.-]{0,40}(?:[_.-]|(?<=\w)(?=password|passwd)))?(?:password|passwd|passphrase|passcode|passwort|kennwort|mot de passe|contraseña|clave|wi-?fi[ _-]?key|wlan[ _-]?(?:key|schlüssel)|psk)${QUOTE}` +
        String.raw`(?:[ \t]+(?:of|for|to|von|für)[ \t]+[^\n.:=]{1,40}?)?(?:\]?[ \t]*(?::=|=>|->|→|::|[:=])|[ \t]+(?:is|was|ist|lautet|est|es)[ \t]|[ \t])[ \t]*` +
        `${QUOTE}${NO_WORD}` +
        // These short names are also words of prose, so they need an assigned value.
        String.raw`|(?<!\w)(?:[\w.-]{0,40}[_.-])?(?:pass|pw|pwd|secret)${QUOTE}[ \t]*(?::=|[:=])[ \t]*${QUOTE}${NO_WORD}` +
        // The first pattern matches a table row, the second an XML element.
        String.raw`|\|[ \t]*(?:password|passwd|passphrase|passwort|kennwort|pw)[ \t]*\|[ \t]*${QUOTE}${NO_WORD}` +
        String.raw`|<(?:[\w.-]{0,20}[_.-])?(?:password|passwd|passphrase|secret|token|api_?key)>${GIVEN}[^\s<]{4,200}<\/`,
      'giu',
    ),
    finds: [
      'psk = 7f3a9c1e5b7d2f4a',
      'my password is hunter2',
      'password: s3cr3tP4ss!',
      'passphrase kittens4ever',
      'the password of the nas is c0rrecthorse',
      'Passwort = geheim99',
      'db.password := "hunter2x"',
      'the wifi password is “hunter2x”',
    ],
    passes: [
      'Password login is off.',
      'Logging in with a password is switched off',
      'the password manager is down',
      'the password is argon2id-hashed',
      'password: required',
      'password: /run/secrets/pg17',
      'the password is 12 characters long',
      'password rotated on 2026-05-24',
      'psk: see vault',
      'password = ${PG_PASSWORD_1}',
    ],
  },
  {
    id: 'login',
    title: 'a name and its password',
    pattern: new RegExp(
      String.raw`\b(?:user(?:name)?|login)[ \t:=]{1,3}[^\s:=]{1,40}[ \t,;/]{1,3}(?:pass(?:word)?|pw)[ \t:=]{1,3}` +
        `${QUOTE}${NO_WORD}` +
        String.raw`|\bu[ \t]?:[ \t]?[^\s:=]{1,40}[ \t,;/]{1,3}p(?:w|ass)?[ \t]?:[ \t]?${NO_WORD}` +
        // The names that most devices come with need no further word.
        String.raw`|(?:\blog(?:in|on)s?[ \t]+(?:admin|root|pi)[ \t]?[/:][ \t]?|(?<![\w/.-])(?:admin(?:istrator)?|root)[ \t]+\/[ \t]+)${NO_WORD}` +
        // This matches "Router login: admin / hunter22".
        String.raw`|${LOGIN}${NO_WORD}`,
      'giu',
    ),
    finds: ['user admin pass admin123', 'login: root, password: toor99x', 'Router login: admin / hunter22'],
    passes: ['user login pass through', 'the user may pass 2 arguments', 'user admin has no password'],
  },
  {
    id: 'perhaps-login',
    title: 'a name and its password',
    isSure: false,
    pattern: new RegExp(
      String.raw`${LOGIN}(?!(?:no|none|see|ask|in|on|at|from|as|without)\b)\p{L}[^\s"'\x60]{3,60}`,
      'giu',
    ),
    finds: ['Router login: admin / Sommer'],
    passes: ['login: admin / no password', 'login: see the vault', 'login as root'],
  },
  {
    id: 'perhaps-password',
    title: 'a password',
    isSure: false,
    // This matches sentences in which the value may be a word: "the password of the nas is correcthorse". Words that
    // say where the password is, not what it is, are excluded.
    pattern:
      /(?:\b|_)(?:passwords?|passphrase|passwd|passcode|passwort|kennwort)\b(?!\s+(?:vergessen|forgotten)\b)(?:(?![.!?]\s)[^\n:=]){0,40}?(?:[:=]|\b(?:is|was|ist|lautet)\b)[ \t]*(?![/<$*{.~[!]|argon2|bcrypt|process\.env|os\.environ|var\.|your[-_]|change[-_]?me\b|redacted|(?:true|false|yes|in|on|at|off|down|up|kept|stored|saved|managed|set|not|no|never|always|required|optional|needed|empty|unknown|disabled|enabled|switched|turned|the|a|an|under|im|in der|nicht|gespeichert|hinterlegt|asked|read|rotated|changed|protected|from|by|with|same|too|also|case|hashed|encrypted|wrong|null|none|getenv|vergessen)\b)["'`]?[^\s"'`]{4,200}/gi,
    finds: ['the password of the nas is correcthorse', 'printer password is rosebud', 'password: letmein'],
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
    // This is a long value of letters and digits, after a name that means secret.
    pattern:
      /\b[\w-]{0,40}(?:secret|token|api[ _-]?key|access[ _-]?key|private[ _-]?key|secret[ _-]?key(?:[ _-]?base)?|(?:app|encryption|hmac|master|signing)[ _-]?key|credential)s?\b["'`]?\s{0,3}(?:[:=]|\bis\b)\s{0,3}["'`]?(?:base64:)?(?!\.{0,2}\/[a-z]|~|process\.env|[Rr]edacted|your[-_])(?=[^\s"'`]{0,200}\d)(?=[^\s"'`]{0,200}[A-Za-z])[A-Za-z0-9_\-+/=.]{16,200}/gi,
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
